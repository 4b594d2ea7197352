import { type ApplicationKey, displayApplication } from '../kernel/index.ts';

/** The commit status context of an application's releases (DESIGN 5). Stable for the life of the application. */
export function deployContext(key: ApplicationKey): string {
  return `hakopod/deploy/${displayApplication(key)}`;
}

/** The commit status context of an application's pull request plans. */
export function planContext(key: ApplicationKey): string {
  return `hakopod/plan/${displayApplication(key)}`;
}
