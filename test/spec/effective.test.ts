import { describe, expect, it } from 'vitest';
import { effectiveEnv, effectiveSecrets, requiredSecrets } from '../../src/spec/index.ts';
import { application } from './support.ts';

/** An application with these lines at its root and these in its service `web`; `db` is another. */
function shop(root: string, web: string) {
  const text = `name = "shop"\n${root}\n[services.web]\nimage = "nginx"\n${web}\n[services.db]\nimage = "pg"\nport = 5432\n`;
  const parsed = application(text);
  return { parsed, web: parsed.services.web!, db: parsed.services.db! };
}

const BINDING =
  'bindings = { C = { service = "db", protocol = "postgres", database = "a", username = "b", password = { ref = "p" } } }';

describe('the variables of a service', () => {
  it('are its own alone unless the application injects', () => {
    const { parsed, web } = shop('env = { A = "app", B = "app" }', 'env = { A = "own" }');
    expect(effectiveEnv(parsed, web)).toEqual({ A: 'own' });
  });

  it('are those of the application below its own, an empty one too', () => {
    const { parsed, web, db } = shop('inject_env = true\nenv = { B = "app", A = "app" }', 'env = { B = "" }');
    expect(Object.entries(effectiveEnv(parsed, web))).toEqual([
      ['A', 'app'],
      ['B', ''],
    ]);
    expect(effectiveEnv(parsed, db)).toEqual({ A: 'app', B: 'app' });
  });

  it('leave out what secrets and bindings of the service set', () => {
    const { parsed, web } = shop(
      'inject_env = true\nenv = { A = "app", B = "app", C = "app" }',
      `secrets = { B = { ref = "b" } }\n${BINDING}`,
    );
    expect(effectiveEnv(parsed, web)).toEqual({ A: 'app' });
  });
});

describe('the secrets of a service', () => {
  it('are those of the application below its own, injected or not', () => {
    const { parsed, web, db } = shop(
      'secrets = { B = { ref = "app-b" }, A = { ref = "app-a" } }',
      'secrets = { B = { ref = "own-b" } }',
    );
    expect(Object.entries(effectiveSecrets(parsed, web))).toEqual([
      ['A', { ref: 'app-a' }],
      ['B', { ref: 'own-b' }],
    ]);
    expect(effectiveSecrets(parsed, db)).toEqual({ A: { ref: 'app-a' }, B: { ref: 'app-b' } });
  });

  it('leave out what its variables and bindings set', () => {
    const { parsed, web } = shop(
      'secrets = { A = { ref = "a" }, B = { ref = "b" }, C = { ref = "c" } }',
      `env = { A = "" }\n${BINDING}`,
    );
    expect(effectiveSecrets(parsed, web)).toEqual({ B: { ref: 'b' } });
  });
});

it('gives runner pools nothing of the application', () => {
  const parsed = application(
    'name = "shop"\ninject_env = true\nenv = { A = "a" }\nsecrets = { B = { ref = "b" } }\n[services.ci]\nactions = { repository = "a/b", credential = "ci" }\nenv = { C = "c" }\nsecrets = { D = { ref = "d" } }\n',
  );
  const ci = parsed.services.ci!;
  expect(effectiveEnv(parsed, ci)).toEqual({ C: 'c' });
  expect(effectiveSecrets(parsed, ci)).toEqual({ D: { ref: 'd' } });
  expect(requiredSecrets(parsed)).toEqual(['ci', 'd']);
});

describe('the secrets a release needs', () => {
  it('are found wherever one may be named, each once and sorted', () => {
    const { parsed } = shop(
      'secrets = { X = { ref = "z-app" }, Y = { ref = "taken" } }',
      `secrets = { K = { ref = "own" }, Y = { ref = "own" } }\nfiles = { f = { mount_path = "/f", secret = { ref = "file" } }, g = { mount_path = "/g", content = "a" } }\n${BINDING}`,
    );
    // `db` inherits Y, so "taken" is needed though `web` has its own
    expect(requiredSecrets(parsed)).toEqual(['file', 'own', 'p', 'taken', 'z-app']);
  });

  it('are not those of a provider, nor those nobody inherits', () => {
    const { parsed } = shop(
      'secrets = { X = { provider = "vault", path = "a", key = "k" }, Y = { ref = "y" } }',
      'env = { Y = "" }\nfiles = { f = { mount_path = "/f", secret = { provider = "vault", key = "k" } } }',
    );
    expect(requiredSecrets(parsed)).toEqual(['y']);
    expect(requiredSecrets(application('name = "a"\nsecrets = { Y = { ref = "y" } }\n[services]\n'))).toEqual([]);
  });
});
