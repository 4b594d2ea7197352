import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { allowsConnection, type End, type PolicyPod, type PolicyPort } from '../support/network-policies.ts';

describe('the judge of network policies', () => {
  const pod = (name: string, namespace = 'n'): PolicyPod => ({ namespace, labels: { app: name } });
  const policy = (spec: object): Manifest => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p', namespace: 'n' },
    spec,
  });
  const tcp = (port: number): PolicyPort => ({ protocol: 'TCP', port });
  const to = (spec: object, from: End, port = 80) =>
    allowsConnection([policy(spec)], { from, to: pod('web'), port: tcp(port) });
  const web = { podSelector: { matchLabels: { app: 'web' } } };

  it.each([
    [
      'no policy selects the pod',
      { podSelector: { matchLabels: { app: 'other' } }, policyTypes: ['Ingress'] },
      pod('x'),
      true,
    ],
    ['one without rules denies', { ...web, policyTypes: ['Ingress'] }, pod('x'), false],
    ['one of the other direction says nothing', { ...web, policyTypes: ['Egress'] }, pod('x'), true],
    ['an empty rule allows', { ...web, ingress: [{}] }, pod('x'), true],
    ['an empty list of peers allows', { ...web, ingress: [{ from: [] }] }, { address: '1.1.1.1' }, true],
    [
      'a pod selector is of its own namespace',
      { ...web, ingress: [{ from: [{ podSelector: {} }] }] },
      pod('x', 'm'),
      false,
    ],
    [
      'a namespace selector is of all pods there',
      { ...web, ingress: [{ from: [{ namespaceSelector: {} }] }] },
      pod('x', 'm'),
      true,
    ],
    [
      'both selectors must agree',
      { ...web, ingress: [{ from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'y' } } }] }] },
      pod('x', 'm'),
      false,
    ],
    ['an address is no pod', { ...web, ingress: [{ from: [{ podSelector: {} }] }] }, { address: '1.1.1.1' }, false],
    ['a pod is no address', { ...web, ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }] }, pod('x'), false],
    ['ports are those listed', { ...web, ingress: [{ ports: [{ port: 81 }] }] }, pod('x'), false],
    [
      'a range of ports ends with its end',
      { ...web, ingress: [{ ports: [{ port: 79, endPort: 80 }] }] },
      pod('x'),
      true,
    ],
    [
      'of another protocol is another port',
      { ...web, ingress: [{ ports: [{ protocol: 'UDP', port: 80 }] }] },
      pod('x'),
      false,
    ],
    [
      'expressions count',
      {
        ...web,
        ingress: [
          { from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['x'] }] } }] },
        ],
      },
      pod('x'),
      false,
    ],
  ])('%s', (_, spec, from, expected) => {
    expect(to(spec, from)).toBe(expected);
  });

  it('asks both ends', () => {
    const closed = policy({ podSelector: { matchLabels: { app: 'x' } }, policyTypes: ['Egress'] });
    expect(allowsConnection([closed], { from: pod('x'), to: pod('web'), port: tcp(80) })).toBe(false);
    expect(allowsConnection([closed], { from: pod('y'), to: pod('web'), port: tcp(80) })).toBe(true);
  });

  it.each([
    ['10.0.0.0', '10.0.0.0/8', true],
    ['10.255.255.255', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['255.255.255.255', '0.0.0.0/0', true],
    ['1.2.3.4', '1.2.3.4/32', true],
    ['1.2.3.5', '1.2.3.4/32', false],
  ])('%s in %s: %s', (address, cidr, expected) => {
    expect(to({ ...web, ingress: [{ from: [{ ipBlock: { cidr } }] }] }, { address })).toBe(expected);
  });
});
