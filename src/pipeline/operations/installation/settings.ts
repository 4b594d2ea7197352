import { refusal } from '../../../access/index.ts';
import { fail, ok } from '../../../kernel/index.ts';
import type { KubernetesPatchesSetting, SettingOperations } from '../../../ports/api/index.ts';
import type { Setting } from '../../../ports/index.ts';
import type { Deps } from '../../context.ts';
import { audited } from '../audited.ts';

/** What administrators decide for the installation. Everybody with a key may read it. */
export function settingOperations(deps: Pick<Deps, 'settings' | 'audit' | 'clock'>): SettingOperations {
  return {
    list: async () => {
      const read = await deps.settings.read('kubernetesPatches');
      return read.ok ? ok({ items: [patchesView(read.value)] }) : read;
    },
    kubernetesPatches: async () => {
      const read = await deps.settings.read('kubernetesPatches');
      return read.ok ? ok(patchesView(read.value)) : read;
    },
    setKubernetesPatches: async (principal, { expected_revision: expected, ...value }, info) => {
      const refused = refusal(principal, 'settings:write', {});
      if (refused !== undefined) return fail(refused);
      const before = await deps.settings.read('kubernetesPatches');
      if (!before.ok) return before;
      const by = principal.identity;
      const written = await deps.settings.write('kubernetesPatches', { value, expected, by, at: deps.clock.now() });
      if (!written.ok) return written;
      const change = { action: 'settings.update', resource: { kind: 'Setting', name: 'kubernetes-patches' } };
      const values = { before: before.value.value, after: written.value.value };
      await audited(deps, { principal, info }, { ...change, ...values });
      return ok(patchesView(written.value));
    },
  };
}

function patchesView({
  value,
  revision,
  updatedAt,
  updatedBy,
}: Setting<'kubernetesPatches'>): KubernetesPatchesSetting {
  return {
    section: 'kubernetes-patches',
    value: { enabled: value.enabled },
    revision,
    ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
    ...(updatedBy === undefined ? {} : { updated_by: updatedBy }),
  };
}
