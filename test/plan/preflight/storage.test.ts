import { describe, expect, it } from 'vitest';
import type { NodeRequirement, ObservedClaim } from '../../../src/kernel/index.ts';
import { node, observation } from '../../support/capacity.ts';
import { GIB, judge, refusals, service } from './support.ts';

const CLASSES = [
  { name: 'local', provisioner: 'rancher.io/local-path', isDefault: true },
  { name: 'ebs', provisioner: 'ebs.csi.aws.com', isDefault: false },
  { name: 'old-ebs', provisioner: 'kubernetes.io/aws-ebs', isDefault: false },
  { name: 'nfs', provisioner: 'nfs.example.com', isDefault: false },
];
const CLUSTER = observation([node('a'), node('b')], { storageClasses: CLASSES });

function volume(given: { readonly cls?: string; readonly mode?: string; readonly size?: number } = {}): string {
  const { cls = '', mode = 'ReadWriteOnce', size = 5 } = given;
  const named = cls === '' ? '' : `storage_class = "${cls}"\n`;
  const mount = 'mounts = [{ volume = "v", mount_path = "/v" }]';
  return `${service('web', 10, 16, mount)}[volumes.v]\nsize_gib = ${size}\n${named}access_mode = "${mode}"\n`;
}

function claim(given: Partial<ObservedClaim> = {}): ObservedClaim {
  return { name: 'c', storageClass: 'local', sizeBytes: 5 * GIB, accessModes: ['ReadWriteOnce'], ...given };
}

const at = (key: string, operator: string, ...values: string[]): NodeRequirement => ({ key, operator, values });
const on = (...expressions: NodeRequirement[]) => ({ expressions, fields: [] });
const HOST = 'kubernetes.io/hostname';

describe('storage classes (facts 11.4)', () => {
  it('must exist, for named volumes and for those of services', () => {
    const missing = 'the cluster has no storage class of this name';
    expect(refusals(judge(volume({ cls: 'fast' }), CLUSTER))).toEqual([
      `delivery_unavailable volumes.v.storage_class: ${missing}`,
    ]);
    const own = service('db', 10, 16, 'volume = { mount_path = "/d", size_gib = 1, storage_class = "fast" }');
    expect(refusals(judge(own, CLUSTER))).toEqual([
      `delivery_unavailable services.db.volume.storage_class: ${missing}`,
    ]);
    expect(judge(volume({ cls: 'ebs' }), CLUSTER).problems).toEqual([]);
  });

  it('need not exist any more for a volume that does', () => {
    const claims = { volumes: { v: claim({ storageClass: 'fast' }) }, own: {} };
    expect(judge(volume({ cls: 'fast' }), CLUSTER, { claims }).problems).toEqual([]);
  });

  it.each(['local', 'ebs', 'old-ebs'])('refuse ReadWriteMany on %s', (cls) => {
    expect(refusals(judge(volume({ cls, mode: 'ReadWriteMany' }), CLUSTER))).toEqual([
      'delivery_unavailable volumes.v.storage_class: volumes of this class can be used on one node only; ReadWriteMany needs a class of shared storage',
    ]);
  });

  it('leave other classes to who runs the cluster', () => {
    expect(judge(volume({ cls: 'nfs', mode: 'ReadWriteMany' }), CLUSTER).problems).toEqual([]);
  });

  it('warn when there is no default one and a new volume names none', () => {
    const none = observation([node('a')], { storageClasses: CLASSES.slice(1) });
    const judged = judge(volume(), none);
    expect(judged.problems).toEqual([]);
    expect(judged.warnings).toEqual([
      'volumes.v.storage_class: the cluster has no default class; the volume waits until somebody provides one',
    ]);
    expect(judge(volume(), CLUSTER).warnings).toEqual([]);
    expect(judge(volume(), none, { claims: { volumes: { v: claim() }, own: {} } }).warnings).toEqual([]);
  });
});

describe('a claim that exists', () => {
  it.each([
    ['the same', {}, claim(), []],
    ['another size', { size: 6 }, claim(), ['size_gib']],
    ['a smaller size', { size: 4 }, claim(), ['size_gib']],
    ['another class', { cls: 'ebs' }, claim(), ['storage_class']],
    ['no class, as the default one was filled in', {}, claim({ storageClass: 'ebs' }), []],
    ['another mode', { cls: 'nfs', mode: 'ReadWriteMany' }, claim({ storageClass: 'nfs' }), ['access_mode']],
    ['two modes', {}, claim({ accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }), ['access_mode']],
  ])('stays as it is: %s', (_what, wanted, existing, fields) => {
    const judged = judge(volume(wanted), CLUSTER, { claims: { volumes: { v: existing }, own: {} } });
    expect(judged.problems.map(({ code, at }) => `${code} ${at}`)).toEqual(
      fields.map((f) => `volume_change volumes.v.${f}`),
    );
  });

  it('holds for the volume of a service too', () => {
    const own = service('db', 10, 16, 'volume = { mount_path = "/d", size_gib = 1 }');
    const judged = judge(own, CLUSTER, { claims: { volumes: {}, own: { db: claim() } } });
    expect(judged.problems.map((p) => p.at)).toEqual(['services.db.volume.size_gib']);
  });
});

describe('a service on one node', () => {
  const pinned = (more = '') => service('web', 10, 16, `node_name = "n"\n${more}`);
  const other = node('other');

  it.each([
    ['missing', [other], 'the cluster has no node of this name'],
    ['not ready', [node('n', { ready: false }), other], 'the node is not ready'],
    ['cordoned', [node('n', { unschedulable: true }), other], 'the node is cordoned'],
  ])('is refused when the node is %s', (_what, nodes, message) => {
    expect(refusals(judge(pinned(), observation(nodes)))[0]).toBe(
      `delivery_unavailable services.web.node_name: ${message}`,
    );
  });

  it('is refused for another architecture', () => {
    const arm = node('n', { labels: { 'kubernetes.io/arch': 'arm64' } });
    const [first] = refusals(judge(pinned('architecture = "amd64"'), observation([arm, other])));
    expect(first).toContain('the node has another architecture than the service');
    expect(judge(pinned('architecture = "arm64"'), observation([arm, other])).problems).toEqual([]);
  });

  it('is refused when a volume it has is elsewhere', () => {
    const toml = pinned('volume = { mount_path = "/d", size_gib = 5 }');
    const with_ = (host: string) => ({ volumes: {}, own: { web: claim({ nodeTerms: [on(at(HOST, 'In', host))] }) } });
    const cluster = observation([node('n'), other]);
    expect(refusals(judge(toml, cluster, { claims: with_('other') }))).toEqual([
      'delivery_unavailable services.web.node_name: a volume the service already has can not be used on this node',
    ]);
    expect(judge(toml, cluster, { claims: with_('n') }).problems).toEqual([]);
  });

  it('comes before storage, and storage before room', () => {
    const toml = pinned('replicas = 1\nvolume = { mount_path = "/d", size_gib = 5, storage_class = "x" }');
    const judged = judge(
      toml,
      observation([node('other', { allocatable: { cpuMillis: 1, memoryBytes: 1, gpus: 0 } })]),
    );
    expect(judged.problems.map(({ at = '' }) => at)).toEqual([
      'services.web.node_name',
      'services.web.volume.storage_class',
      'services.web',
      '',
    ]);
  });
});

describe('where a volume can be used', () => {
  const toml = service('web', 10, 16, 'node_name = "n"\nvolume = { mount_path = "/d", size_gib = 5 }');
  const n = node('n', { labels: { zone: 'z1', rank: '5', 'kubernetes.io/arch': 'amd64' } });
  it.each([
    ['a value', [on(at('zone', 'In', 'z1', 'z2'))], true],
    ['no such value', [on(at('zone', 'In', 'z2'))], false],
    ['not a value', [on(at('zone', 'NotIn', 'z1'))], false],
    ['not a value of a label that is not there', [on(at('nope', 'NotIn', 'z1'))], true],
    ['a label', [on(at('zone', 'Exists'))], true],
    ['a label that is not there', [on(at('nope', 'Exists'))], false],
    ['no label', [on(at('nope', 'DoesNotExist'))], true],
    ['more', [on(at('rank', 'Gt', '4'))], true],
    ['not more', [on(at('rank', 'Gt', '5'))], false],
    ['less', [on(at('rank', 'Lt', '6'))], true],
    ['a word as a number', [on(at('zone', 'Lt', '6'))], false],
    ['an operator nobody knows', [on(at('zone', 'Near', 'z1'))], false],
    ['all of a term', [on(at('zone', 'In', 'z1'), at('rank', 'In', '6'))], false],
    ['any term', [on(at('zone', 'In', 'z2')), on(at('rank', 'In', '5'))], true],
    ['an empty term', [on()], false],
    ['no terms', [], false],
    ['the name of the node', [{ expressions: [], fields: [at('metadata.name', 'In', 'n')] }], true],
    ['another name', [{ expressions: [], fields: [at('metadata.name', 'In', 'm')] }], false],
    ['another field', [{ expressions: [], fields: [at('metadata.uid', 'In', 'n')] }], false],
  ])('follows %s', (_what, nodeTerms, isFine) => {
    const judged = judge(toml, observation([n]), { claims: { volumes: {}, own: { web: claim({ nodeTerms }) } } });
    expect(judged.problems.length === 0).toBe(isFine);
  });
});
