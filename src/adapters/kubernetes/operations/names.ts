import { sha256 } from '../../../kernel/index.ts';
import { OPERATION_LIMITS } from '../../../ports/cluster-operations/index.ts';

/** Characters kept of a name that is cut, before a hyphen and six digits. */
const KEPT = 56;
const DIGITS = 6;

/**
 * Names of the objects of a project's services (cluster operations 17): `<project>-<service>` in the alphabet of a label. One that is longer
 * than 63, or that two services of the request would share, is cut and told apart by a hash of what it stands for.
 */
export function objectNames(project: string, services: readonly string[]): ReadonlyMap<string, string> {
  const plain = services.map((service) => plainName(project, service));
  return new Map(
    services.map((service, index) => {
      const name = plain[index] ?? '';
      const isShared = plain.filter((other) => other === name).length > 1;
      const fits = name.length <= OPERATION_LIMITS.objectName && !isShared;
      return [service, fits ? name : cutName(name, `${project}/${service}`)];
    }),
  );
}

function plainName(project: string, service: string): string {
  const name = `${project}-${service}`
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .replace(/^-+|-+$/g, '');
  return /^[a-z]/.test(name) ? name : `hakopod-${name}`;
}

function cutName(name: string, of: string): string {
  return `${name.slice(0, KEPT).replace(/-+$/, '')}-${sha256(of).slice(0, DIGITS)}`;
}

export function envName(name: string): string {
  return `${name}-env`;
}

export function secretName(name: string): string {
  return `${name}-secret`;
}
