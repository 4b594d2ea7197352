import { describe, expect, it } from 'vitest';
import { failureOf, problemOf, type Refusal } from '../../../src/adapters/kubernetes/answers.ts';
import { status } from '../../support/fake-api.ts';

const target = { path: '/apis/apps/v1/namespaces/hp-1/deployments', resource: 'deployments', kind: 'Deployment' };
const intent = { verb: 'patch', target };

function found(refusal: Refusal, about: typeof intent = intent) {
  return problemOf(failureOf(refusal, about), about);
}

function of(code: number, reason: string, message: string, details = {}) {
  return found({ status: code, body: status(code, reason, message, details), retryAfterMs: undefined });
}

describe('answers of the API server', () => {
  // the messages were copied from a real API server 1.35
  const cases: readonly (readonly [string, ReturnType<typeof of>, string, string])[] = [
    // Of a write only a review can tell more: see refusal.test.ts.
    [
      'a 403',
      of(403, 'Forbidden', 'x is forbidden: y'),
      'forbidden',
      'the role of Hakopod does not permit to patch deployments',
    ],
    [
      'roles that would give more than the writer has',
      of(
        403,
        'Forbidden',
        'roles "a" is forbidden: user "b" is attempting to grant RBAC permissions not currently held',
      ),
      'forbidden',
      'the role of Hakopod does not permit to patch deployments',
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
  for (const [name, answer, code, message] of cases)
    it(name, () => {
      expect([answer.code, answer.message]).toEqual([code, message]);
    });

  it('says so when the kind itself is not served', () => {
    const missing = found({ status: 404, body: '404 page not found', retryAfterMs: undefined });
    expect([missing.code, missing.message]).toEqual([
      'not_found',
      expect.stringContaining('custom resource definitions'),
    ]);
  });

  it('tells when to come back', () => {
    const throttled = found({ status: 429, body: status(429, 'TooManyRequests', 'x'), retryAfterMs: 7000 });
    expect(throttled).toMatchObject({ code: 'cluster_unavailable', kind: 'transient', afterMs: 7000 });
  });

  it('keeps the words of the server out of messages, and those about a Secret out of the log', () => {
    const words = 'Invalid value: "hunter2"';
    expect(of(422, 'Invalid', words).message).not.toContain('hunter2');
    expect(JSON.stringify(of(422, 'Invalid', words).cause)).toContain('hunter2');
    const body = status(422, 'Invalid', words);
    const secret = { verb: 'create', target: { path: '/', resource: 'secrets', kind: 'Secret' } };
    expect(JSON.stringify(found({ status: 422, body, retryAfterMs: undefined }, secret))).not.toContain('hunter2');
  });
});
