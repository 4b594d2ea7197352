import type { ApplicationOperations } from './applications.ts';
import type { AuditOperations } from './audit.ts';
import type { CertificateOperations } from './certificates.ts';
import type { ClusterApiOperations } from './cluster.ts';
import type { DeliveryOperations } from './deliveries.ts';
import type { DeploymentOperations } from './deployments.ts';
import type { DomainOperations } from './domains.ts';
import type { IdentityOperations } from './identities.ts';
import type { KeyOperations } from './keys.ts';
import type { MeOperations } from './me.ts';
import type { PlanOperations } from './plans.ts';
import type { PreviewOperations } from './previews.ts';
import type { ProjectOperations } from './projects.ts';
import type { RegistryOperations } from './registries.ts';
import type { RepositoryOperations } from './repositories.ts';
import type { RoleOperations } from './roles.ts';
import type { SecretOperations } from './secrets.ts';
import type { SettingOperations } from './settings.ts';
import type { SourceOperations } from './sources.ts';

/** Everything people and programs can do, by noun. The HTTP API is its only way in; the command line goes through it too. */
export interface Operations {
  readonly me: MeOperations;
  readonly projects: ProjectOperations;
  readonly applications: ApplicationOperations;
  readonly domains: DomainOperations;
  readonly deployments: DeploymentOperations;
  readonly secrets: SecretOperations;
  readonly certificates: CertificateOperations;
  readonly registries: RegistryOperations;
  readonly repositories: RepositoryOperations;
  readonly deliveries: DeliveryOperations;
  readonly sources: SourceOperations;
  readonly plans: PlanOperations;
  readonly previews: PreviewOperations;
  readonly settings: SettingOperations;
  readonly keys: KeyOperations;
  readonly identities: IdentityOperations;
  readonly roles: RoleOperations;
  readonly audit: AuditOperations;
  readonly cluster: ClusterApiOperations;
}
