import type { Manifest } from '../../kernel/index.ts';
import { forbidden } from './errors.ts';
import { at, type Fields, record, text } from './objects.ts';
import type { Route } from './routes.ts';

/** A verb on a resource that the client may not use; absent fields mean any. */
export type Denial = {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly namespace?: string;
};

type Attributes = {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
};

function denied(denials: readonly Denial[], asked: Attributes): boolean {
  return denials.some(
    (denial) =>
      (denial.verb === '*' || denial.verb === asked.verb) &&
      (denial.resource === '*' || denial.resource === asked.resource) &&
      (denial.group === undefined || denial.group === asked.group) &&
      (denial.namespace === undefined || denial.namespace === asked.namespace),
  );
}

/** 403 in the words of RBAC when the request is denied. */
export function refuseDenied(denials: readonly Denial[], route: Route): void {
  const { info, namespace, name, subresource } = route;
  const resource = subresource === undefined ? info.plural : `${info.plural}/${subresource}`;
  const verb = route.verb ?? '';
  if (!denied(denials, { verb, resource, group: info.group, namespace: namespace ?? '' })) return;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `cannot ${verb} resource "${resource}" in API group "${info.group}" ${scope}`;
  throw forbidden(info, name ?? '', `User "embedded" ${what}`);
}

/** Answers a SelfSubjectAccessReview from the same list. */
export function reviewAccess(denials: readonly Denial[], review: Manifest | Fields): Fields {
  const asked = record(at(review, 'spec', 'resourceAttributes'));
  const resource = [asked.resource, asked.subresource].filter(Boolean).join('/');
  const attributes = {
    verb: text(asked.verb) ?? '',
    resource,
    group: text(asked.group) ?? '',
    namespace: text(asked.namespace) ?? '',
  };
  return {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: record(at(review, 'spec')),
    status: { allowed: !denied(denials, attributes), reason: '' },
  };
}
