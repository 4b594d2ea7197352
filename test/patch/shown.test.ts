import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/kernel/index.ts';
import { applyPatches, manifestYaml, patchProblems, shownObjects } from '../../src/patch/index.ts';
import { namedImages, previewInput, renderApplication } from '../../src/render/index.ts';
import { type Application, parseSpec } from '../../src/spec/index.ts';

function application(toml: string): Application {
  const parsed = parseSpec(toml);
  if (!parsed.ok) throw new Error(parsed.problems.map((p) => `${p.at}: ${p.message}`).join('; '));
  return parsed.application;
}

const SHOP = `
name = "shop"
[services.worker]
image = "ghcr.io/acme/worker:2"
secrets = { TOKEN = { ref = "token" } }
[services.api]
image = "ghcr.io/acme/api:1"
port = 8080
public = true
[services.migrate]
image = "ghcr.io/acme/api:1"
[services.migrate.job]
`;

function rendering(toml: string) {
  const wanted = application(toml);
  const rendered = renderApplication(previewInput(wanted, { images: namedImages(wanted) }));
  if (!rendered.ok) throw new Error(rendered.problem.message);
  return { wanted, rendered: rendered.value };
}

function manifest(value: unknown): Manifest {
  return { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, value } as unknown as Manifest;
}

describe('shownObjects', () => {
  it('are the Deployment, Service and Ingress of the long-running services by name, and nothing of secrets', () => {
    const { rendered } = rendering(SHOP);
    const names = (service?: string) =>
      shownObjects(rendered, service).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names()).toEqual(['Deployment/api', 'Service/api', 'Ingress/api', 'Deployment/worker']);
    expect(names('worker')).toEqual(['Deployment/worker']);
    expect(names('migrate')).toEqual([]);
    expect(names('constructor')).toEqual([]);
  });
});

describe('manifestYaml', () => {
  it('says the same to a reader of YAML 1.1 and of 1.2', () => {
    const texts = ['yes', 'No', 'on', 'y', 'null', '~', '', '0o7', '017', '1:20', '1e3', '.inf', '2026-01-01', '1_000'];
    const more = [
      '- a',
      '# x',
      'a: b',
      'a #b',
      '%x',
      '@x',
      '`x',
      '!x',
      '&a',
      '*a',
      '<<',
      '=',
      '\ta',
      'a\n',
      ' a\nb ',
      '-',
    ];
    const object = manifest([...texts, ...more, ...texts.map((text) => ({ [text]: text }))]);
    const yaml = manifestYaml([object]);
    for (const version of ['1.1', '1.2'] as const) expect(parse(yaml, { version })).toEqual(object);
  });

  it('says any text, and nothing that steers a terminal', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is tried
      fc.stringMatching(/^[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u202e\u2028\ufeff:#-]{1,6}$/),
    );
    fc.assert(
      fc.property(fc.dictionary(unit, fc.array(unit)), (value) => {
        const yaml = manifestYaml([manifest(value), manifest('second')]);
        expect(yaml.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        const [first, second, ...others] = parseAllDocuments(yaml);
        expect(first?.toJS()).toEqual(manifest(value));
        expect(second?.toJS()).toEqual(manifest('second'));
        expect(others).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('has no anchors for what stands twice', () => {
    const labels = { a: 'b' };
    expect(manifestYaml([manifest([labels, labels])])).not.toMatch(/[&*]/);
  });

  it('is what a reader expects', () => {
    const { rendered } = rendering(SHOP);
    const [, service] = shownObjects(rendered, 'api');
    expect(manifestYaml(service === undefined ? [] : [service])).toMatch(
      /^---\napiVersion: v1\nkind: Service\nmetadata:\n {2}name: api\n/,
    );
  });
});

describe('patchProblems', () => {
  it('names every patch that is refused, by the name of its service, and no text of it', () => {
    const patch = (name: string, kind: string, text: string): string =>
      `[services.${name}.kubernetes]\n${kind} = '''\n${text}\n'''\n`;
    const text = [
      SHOP,
      patch('worker', 'deployment', 'spec: {replicas: 7777}'),
      patch('api', 'ingress', 'metadata: {annotations: {cert-manager.io/issuer: canary-text}}'),
    ].join('\n');
    const { wanted, rendered } = rendering(text);
    const problems = patchProblems(wanted, rendered);
    expect(problems.map(({ code, at }) => [code, at])).toEqual([
      ['protected_field', 'services.api.kubernetes.ingress'],
      ['protected_field', 'services.worker.kubernetes.deployment'],
    ]);
    expect(JSON.stringify(problems)).not.toMatch(/7777|canary-text/);
    expect(applyPatches(wanted, rendered)).toEqual({ ok: false, problem: problems[0] });
  });
});
