import { KubernetesPatchesSetting, PutKubernetesPatches, Settings } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'settings';

/** What administrators choose for the installation. */
export const SETTING_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/settings',
    id: 'listSettings',
    tag,
    summary: 'All settings',
    needs: { all: [] },
    answer: Settings,
    example: {},
    operation: (operations) => operations.settings.list,
  }),
  route({
    method: 'get',
    path: '/settings/kubernetes-patches',
    id: 'getKubernetesPatches',
    tag,
    summary: 'Whether applications may carry Kubernetes patches',
    needs: { all: [] },
    answer: KubernetesPatchesSetting,
    example: {},
    operation: (operations) => operations.settings.kubernetesPatches,
  }),
  route({
    method: 'put',
    path: '/settings/kubernetes-patches',
    id: 'setKubernetesPatches',
    tag,
    summary: 'Allow or refuse Kubernetes patches',
    needs: { all: ['settings:write'] },
    body: PutKubernetesPatches,
    answer: KubernetesPatchesSetting,
    example: { body: { enabled: true, expected_revision: 0 } },
    operation: (operations) => operations.settings.setKubernetesPatches,
  }),
];
