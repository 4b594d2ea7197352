import { describe, expect, it } from 'vitest';
import { buildsOf, builtImage, configurationRevision, imageName, watchedPaths } from '../../src/build/index.ts';
import { digestOf } from '../../src/kernel/index.ts';
import { type Application, parseSpec } from '../../src/spec/index.ts';

const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const COMMIT = 'c'.repeat(40);
const PLACE = { key: KEY, commit: COMMIT, registry: 'registry.example.com/built' };

function application(services: string): Application {
  const parsed = parseSpec(`name = "shop"\n${services}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.application;
}

const WEB = '[services.web.build]\ncontext = "web"\nbuild_args = { B = "2", A = "1" }\n';

describe('the builds of an application', () => {
  it('are its build tables: revision, run, image and tag', () => {
    const [build, ...others] = buildsOf(application(`${WEB}[services.db]\nimage = "postgres:16"\n`), PLACE);
    expect(others).toEqual([]);
    const table = { context: 'web', dockerfile: 'web/Dockerfile', build_args: { A: '1', B: '2' } };
    const revision = digestOf(table);
    expect(build).toMatchObject({ services: ['web'], build: table, revision });
    expect(build?.repository).toBe(imageName('registry.example.com/built', KEY, 'web'));
    expect(build?.repository).toMatch(/^registry\.example\.com\/built\/acme-production-shop-web-[0-9a-f]{8}$/);
    expect(build?.tag).toBe(`${COMMIT.slice(0, 12)}-${revision.slice(7, 19)}`);
    expect(build?.run).toMatch(/^acme\.production\.shop\.c{16}\.[0-9a-f]{16}$/);
  });

  it('are none where nothing is built', () => {
    expect(buildsOf(application('[services.db]\nimage = "postgres:16"\n'), PLACE)).toEqual([]);
  });

  it('are shared by services of equal tables, whatever the order and the defaults say', () => {
    const both = application(
      `${WEB}[services.a.build]\nbuild_args = { A = "1", B = "2" }\ncontext = "web"\ndockerfile = "web/Dockerfile"\n`,
    );
    expect(buildsOf(both, PLACE)).toMatchObject([{ services: ['a', 'web'] }]);
  });

  it('have another run for another commit, table or registry, and no other', () => {
    const run = (text: string, place: Partial<typeof PLACE> = {}): string =>
      buildsOf(application(text), { ...PLACE, ...place })[0]?.run ?? '';
    const runs = [
      run(WEB),
      run(WEB, { commit: 'd'.repeat(40) }),
      run(WEB, { registry: 'other.example.com' }),
      run(WEB.replace('"2"', '"3"')),
      run(WEB.replace('context = "web"', 'context = "web"\ntarget = "prod"')),
      run(WEB.replace('context = "web"', 'context = "web"\ndockerfile = "web/Other"')),
    ];
    expect(new Set(runs).size).toBe(runs.length);
    expect(run(`${WEB}[services.db]\nimage = "postgres:16"\n`)).toBe(runs[0]);
    for (const name of runs) expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
  });

  it('keep applications apart whose slugs meet', () => {
    expect(imageName('r', { ...KEY, project: 'a-b', environment: 'c' }, 's')).not.toBe(
      imageName('r', { ...KEY, project: 'a', environment: 'b-c' }, 's'),
    );
  });

  it('name what to watch: contexts and Dockerfiles, each once', () => {
    const text = `${WEB}[services.a.build]\n[services.b.build]\ncontext = "web"\ndockerfile = "web/Other"\n`;
    expect(watchedPaths(application(text))).toEqual(['.', 'Dockerfile', 'web', 'web/Dockerfile', 'web/Other']);
    expect(watchedPaths(application('[services.db]\nimage = "postgres:16"\n'))).toEqual([]);
  });
});

it('the configuration revision is the digest of the table', () => {
  const table = { context: '.', dockerfile: 'Dockerfile', build_args: { B: '2', A: '1' } };
  expect(configurationRevision(table)).toBe(configurationRevision({ ...table, build_args: { A: '1', B: '2' } }));
  expect(configurationRevision(table)).not.toBe(configurationRevision({ ...table, build_args: { A: '1' } }));
  expect(configurationRevision(table)).toMatch(/^sha256:[0-9a-f]{64}$/);
});

it('an image is known by its digest alone', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  expect(builtImage('r/x', `${digest}\n`)).toEqual({ ok: true, value: `r/x@${digest}` });
  for (const bad of ['', 'latest', digest.slice(0, -1), `${digest} ${digest}`])
    expect(builtImage('r/x', bad)).toMatchObject({ ok: false, problem: { code: 'build_failed' } });
});
