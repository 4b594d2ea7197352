import type { ApiRoute } from '../route.ts';
import { APPLICATION_ROUTES } from './applications.ts';
import { AUDIT_ROUTES } from './audit.ts';
import { CERTIFICATE_ROUTES } from './certificates.ts';
import { CLUSTER_ROUTES } from './cluster.ts';
import { CLUSTER_RUN_ROUTES } from './cluster-runs.ts';
import { DELIVERY_ROUTES } from './deliveries.ts';
import { DEPLOYMENT_ROUTES } from './deployments.ts';
import { DOMAIN_ROUTES } from './domains.ts';
import { IDENTITY_ROUTES } from './identities.ts';
import { KEY_ROUTES } from './keys.ts';
import { ME_ROUTES } from './me.ts';
import { PLAN_ROUTES } from './plans.ts';
import { PREVIEW_ROUTES } from './previews.ts';
import { PROJECT_ROUTES } from './projects.ts';
import { REGISTRY_ROUTES } from './registries.ts';
import { REPOSITORY_ROUTES } from './repositories.ts';
import { ROLE_ROUTES } from './roles.ts';
import { SECRET_ROUTES } from './secrets.ts';
import { SETTING_ROUTES } from './settings.ts';
import { SOURCE_ROUTES } from './sources.ts';

/** Every route below `/api/v1` that answers with a value, in the order of the document. */
export const ROUTES: readonly ApiRoute[] = [
  ...ME_ROUTES,
  ...PROJECT_ROUTES,
  ...APPLICATION_ROUTES,
  ...DOMAIN_ROUTES,
  ...DEPLOYMENT_ROUTES,
  ...SECRET_ROUTES,
  ...CERTIFICATE_ROUTES,
  ...REGISTRY_ROUTES,
  ...REPOSITORY_ROUTES,
  ...DELIVERY_ROUTES,
  ...SOURCE_ROUTES,
  ...PLAN_ROUTES,
  ...PREVIEW_ROUTES,
  ...SETTING_ROUTES,
  ...KEY_ROUTES,
  ...IDENTITY_ROUTES,
  ...ROLE_ROUTES,
  ...AUDIT_ROUTES,
  ...CLUSTER_ROUTES,
  ...CLUSTER_RUN_ROUTES,
];
