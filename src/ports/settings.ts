import type { Result } from '../kernel/index.ts';

/** What the installation decides, by section. */
export type SettingSections = {
  readonly kubernetesPatches: { readonly enabled: boolean };
};
export type SettingSection = keyof SettingSections;

/** A section as it stands. Revision 0 is the default, which nobody wrote yet. */
export type Setting<S extends SettingSection> = {
  readonly value: SettingSections[S];
  readonly revision: number;
  readonly updatedAt?: string;
  readonly updatedBy?: string;
};

/** The one settings object. */
export interface SettingsStore {
  /** From the watch's cache, for checks before every step. The default until the first list is complete. */
  cached<S extends SettingSection>(section: S): Setting<S>;
  read<S extends SettingSection>(section: S): Promise<Result<Setting<S>>>;
  /** Replaces a section. `conflict` when its revision is not `expected`. */
  write<S extends SettingSection>(
    section: S,
    change: {
      readonly value: SettingSections[S];
      readonly expected: number;
      readonly by: string;
      readonly at: Date;
    },
  ): Promise<Result<Setting<S>>>;
  onChange(listener: () => void): () => void;
}
