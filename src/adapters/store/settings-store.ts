import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type {
  Collection,
  Setting,
  SettingSection,
  SettingSections,
  SettingsObject,
  SettingsStore,
} from '../../ports/index.ts';

const NAME = 'settings';
const DEFAULTS: SettingSections = { kubernetesPatches: { enabled: false } };

/** The sections of the one object `settings`, each with its own revision. */
export function createSettingsStore(objects: Collection<SettingsObject>): SettingsStore {
  const sectionOf = <S extends SettingSection>(spec: SettingsObject['spec'] | undefined, section: S): Setting<S> =>
    spec?.[section] ?? { value: DEFAULTS[section], revision: 0 };

  return {
    cached: (section) => sectionOf(objects.cached(NAME)?.spec, section),
    read: async (section) => {
      const read = await objects.get(NAME);
      return read.ok ? ok(sectionOf(read.value?.spec, section)) : read;
    },
    write: async <S extends SettingSection>(
      section: S,
      change: Parameters<SettingsStore['write']>[1],
    ): Promise<Result<Setting<S>>> => {
      const { value, expected, by, at } = change;
      const next = { value, revision: expected + 1, updatedAt: at.toISOString(), updatedBy: by };
      const made = await objects.create({ name: NAME, spec: {} });
      if (!made.ok && made.problem.code !== 'already_exists') return made;
      let isStale = false;
      const written = await objects.update(NAME, ({ spec }) => {
        isStale = sectionOf(spec, section).revision !== expected;
        return isStale ? undefined : { spec: { ...spec, [section]: next } };
      });
      if (!written.ok) return written;
      return isStale
        ? fail(problem('conflict', 'somebody else changed the setting; read it again', { at: 'expected_revision' }))
        : ok(sectionOf(written.value.spec, section));
    },
    onChange: (listener) => objects.onChange(() => listener()),
  };
}
