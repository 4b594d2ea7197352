import { beforeEach, describe, expect, it } from 'vitest';
import { ok } from '../../../src/kernel/index.ts';
import {
  environmentName,
  isPreview,
  previewSlug,
  snapshotSecrets,
} from '../../../src/pipeline/preview-environment/index.ts';
import type { Application } from '../../../src/ports/index.ts';
import { SOURCE } from '../../support/memory.ts';
import { type EnvironmentWorld, environmentWorld } from '../../support/preview-environment.ts';

let world: EnvironmentWorld;
let real: Application;

beforeEach(async () => {
  world = await environmentWorld();
  await world.look();
  const [made] = world.previews();
  if (made === undefined) throw new Error('there is no environment');
  real = made;
});

type Spoilt = Partial<Application['spec']> & { readonly of?: Partial<NonNullable<Application['spec']['preview']>> };

function forged({ of, ...spec }: Spoilt, name = real.name): Application {
  const { preview } = real.spec;
  if (preview === undefined) throw new Error('it is no preview');
  return { ...real, name, spec: { ...real.spec, ...spec, preview: { ...preview, ...of } } };
}

describe('an application that somebody made by hand and calls a preview', () => {
  it.each([
    ['under a name of its own', () => forged({ name: 'shop' }, 'acme.production.shop')],
    ['under another name than it says', () => forged({}, 'acme.production.shop')],
    ['of another request than its name', () => forged({ of: { number: 8 } })],
    ['of a source that is there no more', () => forged({ of: { sourceUid: 'another' } })],
    ['of an application of another project', () => forged({ of: { parent: 'other.production.bank' } })],
    ['of a source of another project', () => forged({ of: { parent: 'other.x.bank', source: 'other.x.bank' } })],
  ])('is none %s', (_words, make) => {
    expect(isPreview(real)).toBe(true);
    expect(isPreview(make())).toBe(false);
  });

  it('reads no secret of the application it names', async () => {
    const asked: string[] = [];
    const secrets = {
      ...world.deps.secrets,
      missing: (_key: unknown, names: readonly string[]) => Promise.resolve(ok(names)),
      snapshot: (key: { readonly project: string }) => {
        asked.push(key.project);
        return Promise.resolve(ok(new Map<string, string>()));
      },
    };
    await snapshotSecrets({ secrets }, forged({ of: { parent: 'other.production.bank' } }), ['PASSWORD']);
    expect(asked).toEqual([real.spec.project]);
  });

  it('gets neither a release nor an end', async () => {
    const source = world.sources.items.get(SOURCE);
    if (source === undefined) throw new Error('there is no source');
    const name = environmentName(source, 8);
    const application = forged(
      { id: 'f'.repeat(32), name: previewSlug(source.uid, 8), of: { number: 8, parent: 'other.production.bank' } },
      name,
    );
    await world.applications.create({ name, spec: application.spec });
    await world.look(8);
    expect(world.environment(8)).toMatchObject({ state: 'refused', code: 'already_exists' });
    expect(world.carried().filter(({ spec }) => spec.application === name)).toEqual([]);
    world.later(100);
    await world.look(8);
    expect(world.applications.items.get(name)?.deleting).toBe(false);
  });
});
