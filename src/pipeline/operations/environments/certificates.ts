import { type Principal, refusal } from '../../../access/index.ts';
import {
  type ApplicationKey,
  applicationName,
  fail,
  ok,
  problem,
  type Result,
  secretScope,
} from '../../../kernel/index.ts';
import type { CertificateOperations, Certificate as CertificateView, SecretScope } from '../../../ports/api/index.ts';
import type { CertificateEntry } from '../../../ports/index.ts';
import { certificateName, certificateUses, readCertificate } from '../../../render/index.ts';
import { audited } from '../audited.ts';
import type { EnvironmentDeps } from './context.ts';
import { requireEnvironment } from './require-environment.ts';
import { standingRevisions } from './standing-revisions.ts';

/**
 * Uploaded certificates of one application (facts 3.1, 7.5). What goes in is read and checked; the private key never comes out again, and stands
 * in no answer, log or audit record. Whether a certificate covers the hosts of a service is the plan's to say.
 */
export function certificateOperations(deps: EnvironmentDeps): CertificateOperations {
  return {
    list: async (principal, scope) => {
      const target = targetOf(scope);
      const refused = refusal(principal, 'deployments:read', target);
      if (refused !== undefined && refusal(principal, 'secrets:write', target) !== undefined) return fail(refused);
      const kept = await deps.certificates.list(keyOf(scope));
      if (!kept.ok) return kept;
      const used = await usedBy(deps, keyOf(scope));
      return used.ok ? ok({ items: kept.value.map((entry) => view(entry, used.value)) }) : used;
    },
    add: async (principal, { service, certificate_pem: certificate, private_key_pem: key, ...scope }, info) => {
      const allowed = mayWrite(principal, scope);
      if (!allowed.ok) return allowed;
      const facts = readCertificate({ certificate, key }, deps.clock.now());
      if (!facts.ok) return facts;
      const there = await requireEnvironment(deps, { principal, info }, { key: scope, write: true });
      if (!there.ok) return there;
      const { hosts, notBefore, notAfter, ...pair } = facts.value;
      const name = certificateName(secretScope(keyOf(scope)), service, facts.value);
      const made = await deps.certificates.add(keyOf(scope), { name, service, hosts, notBefore, notAfter }, pair);
      if (!made.ok) return made;
      const resource = { kind: 'Certificate', ...targetOf(scope), name };
      await audited(deps, { principal, info }, { action: 'certificate.add', resource });
      const used = await usedBy(deps, keyOf(scope));
      // The change is made; not knowing who uses it is no reason to say that it failed.
      return ok(view(made.value, used.ok ? used.value : new Set()));
    },
    remove: async (principal, { name, ...scope }, info) => {
      const allowed = mayWrite(principal, scope);
      if (!allowed.ok) return allowed;
      const used = await usedBy(deps, keyOf(scope));
      if (!used.ok) return used;
      if (used.value.has(name)) return fail(problem('certificate_in_use'));
      const removed = await deps.certificates.remove(keyOf(scope), name);
      if (!removed.ok) return removed;
      if (!removed.value) return fail(problem('not_found', 'there is no certificate of this name'));
      const resource = { kind: 'Certificate', ...targetOf(scope), name };
      await audited(deps, { principal, info }, { action: 'certificate.delete', resource });
      return ok({ status: 'deleted' });
    },
  };
}

function keyOf({ project, environment, application }: SecretScope): ApplicationKey {
  return { project, environment, name: application };
}

function targetOf({ project, environment, application }: SecretScope): SecretScope {
  return { project, environment, application };
}

function mayWrite(principal: Principal, scope: SecretScope): Result<void> {
  const refused = refusal(principal, 'secrets:write', targetOf(scope));
  return refused === undefined ? ok(undefined) : fail(refused);
}

/** The certificates that the revision that runs and the newest accepted one name. */
async function usedBy(deps: EnvironmentDeps, key: ApplicationKey): Promise<Result<ReadonlySet<string>>> {
  const standing = await standingRevisions(deps, applicationName(key));
  return standing.ok ? ok(new Set(standing.value.flatMap((one) => Object.values(certificateUses(one))))) : standing;
}

function view(entry: CertificateEntry, used: ReadonlySet<string>): CertificateView {
  const { name, service, hosts, notBefore, notAfter, uploadedAt } = entry;
  return {
    name,
    service,
    hosts: [...hosts],
    not_before: notBefore,
    not_after: notAfter,
    uploaded_at: uploadedAt,
    in_use: used.has(name),
  };
}
