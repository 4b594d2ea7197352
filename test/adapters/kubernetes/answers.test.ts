import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../src/adapters/kubernetes/answers.ts';
import { status } from '../../support/fake-api.ts';

const target = { path: '/apis/apps/v1/namespaces/hp-1/deployments', resource: 'deployments', kind: 'Deployment' };
const intent = { verb: 'patch', target };

function of(code: number, reason: string, message: string, details = {}) {
  return problemOf({ status: code, body: status(code, reason, message, details), retryAfterMs: undefined }, intent);
}

describe('answers of the API server', () => {
  // the messages were copied from a real API server 1.35
  const cases: readonly (readonly [string, ReturnType<typeof of>, string, string])[] = [
    [
      'RBAC',
      of(
        403,
        'Forbidden',
        'deployments.apps "web" is forbidden: User "limited" cannot patch resource "deployments" in API group "apps" in the namespace "hp-1"',
      ),
      'forbidden',
      'the role of Hakopod does not permit to patch deployments',
    ],
    [
      'RBAC at the cluster scope',
      of(
        403,
        'Forbidden',
        'nodes is forbidden: User "limited" cannot list resource "nodes" in API group "" at the cluster scope',
      ),
      'forbidden',
      'the role of Hakopod does not permit to list nodes',
    ],
    [
      'quota',
      of(
        403,
        'Forbidden',
        'pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
      ),
      'admission_denied',
      'a policy of the cluster refused the Deployment',
    ],
    [
      'Pod Security',
      of(
        403,
        'Forbidden',
        'pods "web" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
      ),
      'admission_denied',
      'a policy of the cluster refused the Deployment',
    ],
    [
      'a webhook with a code of its own',
      of(400, 'BadRequest', 'admission webhook "w.example" denied the request: no'),
      'admission_denied',
      'a policy of the cluster refused the Deployment',
    ],
    [
      'a policy that quotes RBAC is still a policy',
      of(
        403,
        'Forbidden',
        'admission webhook "w" denied the request: x is forbidden: User "a" cannot get resource "secrets"',
      ),
      'admission_denied',
      'a policy of the cluster refused the Deployment',
    ],
    [
      'a ValidatingAdmissionPolicy',
      of(
        422,
        'Invalid',
        "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
      ),
      'admission_denied',
      'a policy of the cluster refused the Deployment',
    ],
    [
      'a namespace on its way out',
      of(
        403,
        'Forbidden',
        'configmaps "a" is forbidden: unable to create new content in namespace hp-1 because it is being terminated',
        {
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: 'namespace hp-1 is being terminated',
              field: 'metadata.namespace',
            },
          ],
        },
      ),
      'conflict',
      'the namespace is being removed',
    ],
    [
      'a budget that nobody has counted yet',
      of(
        403,
        'Forbidden',
        'persistentvolumeclaims "a" is forbidden: status unknown for quota: hakopod-budget, resources: persistentvolumeclaims,requests.storage',
      ),
      'conflict',
      'the budget is not counted yet',
    ],
    ['a name that is taken', of(409, 'AlreadyExists', 'x'), 'already_exists', 'an object of this name exists'],
    ['a stale version', of(409, 'Conflict', 'x'), 'conflict', 'something else changed the same object first'],
    ['validation', of(422, 'Invalid', 'x'), 'invalid_object', 'the cluster refused the Deployment as invalid'],
    ['a duplicate key', of(400, 'BadRequest', 'x'), 'invalid_object', 'the cluster refused the Deployment as invalid'],
    [
      'too large',
      of(413, 'RequestEntityTooLarge', 'x'),
      'invalid_object',
      'the cluster refused the Deployment as invalid',
    ],
    [
      'a 500 that is for good',
      of(
        500,
        '',
        'failed to create typed patch object (a/b; apps/v1, Kind=Deployment): .spec.nonsense: field not declared in schema',
      ),
      'invalid_object',
      'the cluster refused the Deployment as invalid',
    ],
    [
      'a 500',
      of(500, 'InternalError', 'etcdserver: request timed out'),
      'cluster_unavailable',
      'the Kubernetes API could not be reached',
    ],
    ['a 503', of(503, 'ServiceUnavailable', 'x'), 'cluster_unavailable', 'the Kubernetes API could not be reached'],
    ['an expired position', of(410, 'Expired', 'x'), 'gone', 'the watch is older than the history the cluster keeps'],
    ['a missing object', of(404, 'NotFound', 'x'), 'not_found', 'there is no such object'],
    [
      'bad credentials',
      of(401, 'Unauthorized', 'x'),
      'cluster_unavailable',
      'the Kubernetes API refused the credentials',
    ],
  ];
  for (const [name, found, code, message] of cases)
    it(name, () => {
      expect([found.code, found.message]).toEqual([code, message]);
    });

  it('says so when the kind itself is not served', () => {
    const found = problemOf({ status: 404, body: '404 page not found', retryAfterMs: undefined }, intent);
    expect([found.code, found.message]).toEqual(['not_found', expect.stringContaining('custom resource definitions')]);
  });

  it('tells when to come back', () => {
    const found = problemOf({ status: 429, body: status(429, 'TooManyRequests', 'x'), retryAfterMs: 7000 }, intent);
    expect(found).toMatchObject({ code: 'cluster_unavailable', kind: 'transient', afterMs: 7000 });
  });

  it('keeps the words of the server out of messages, and those about a Secret out of the log', () => {
    const words = 'Invalid value: "hunter2"';
    expect(of(422, 'Invalid', words).message).not.toContain('hunter2');
    expect(JSON.stringify(of(422, 'Invalid', words).cause)).toContain('hunter2');
    const body = status(422, 'Invalid', words);
    const secret = { verb: 'create', target: { path: '/', resource: 'secrets', kind: 'Secret' } };
    expect(JSON.stringify(problemOf({ status: 422, body, retryAfterMs: undefined }, secret))).not.toContain('hunter2');
  });
});
