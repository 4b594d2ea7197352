import { z } from 'zod';
import type { Empty, Operation } from './common.ts';
import { Revision, Timestamp } from './common.ts';

const Meta = {
  revision: Revision.meta({ description: '0 while the default holds; send it as expected_revision' }),
  updated_at: Timestamp.optional(),
  updated_by: z.string().optional(),
};
export const KubernetesPatchesValue = z.strictObject({
  enabled: z.boolean().meta({ description: 'whether applications may carry Kubernetes patches' }),
});
export const KubernetesPatchesSetting = z.strictObject({
  section: z.literal('kubernetes-patches'),
  value: KubernetesPatchesValue,
  ...Meta,
});
export type KubernetesPatchesSetting = z.infer<typeof KubernetesPatchesSetting>;
/** As the page on Kubernetes patches has it: `{"enabled": true, "expected_revision": 0}`. */
export const PutKubernetesPatches = KubernetesPatchesValue.extend({ expected_revision: Revision });
/** All sections. */
export const Settings = z.strictObject({ items: z.array(KubernetesPatchesSetting) });
export type Settings = z.infer<typeof Settings>;

/** What administrators choose for the installation. A stale expected revision is `conflict`. */
export interface SettingOperations {
  list: Operation<Empty, Settings>;
  kubernetesPatches: Operation<Empty, KubernetesPatchesSetting>;
  setKubernetesPatches: Operation<z.infer<typeof PutKubernetesPatches>, KubernetesPatchesSetting>;
}
