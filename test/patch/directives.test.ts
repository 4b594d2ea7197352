import { describe, expect, it } from 'vitest';
import { applyPatch, type Fields, type PatchKind } from '../../src/patch/index.ts';
import { appOf, base, boundDeployment, type Loose, podOf } from './protect-fixture.ts';

/** The answer to a patch: what it became, or the code and the text of the refusal. */
function answer(
  kind: PatchKind,
  text: string,
  object: Loose = base(kind),
): { readonly said: string; readonly made: Loose } {
  const result = applyPatch({ kind, object: object as Fields, text, at: 'services.api.kubernetes' });
  return result.ok
    ? { said: 'applied', made: result.value }
    : { said: `${result.problem.code}: ${result.problem.message}`, made: undefined };
}

function pod(text: string): string {
  const lines = text.split('\n').map((line) => `      ${line}`);
  return `spec:\n  template:\n    spec:\n${lines.join('\n')}`;
}

function app(text: string): string {
  const lines = text.split('\n').map((line) => `    ${line}`);
  return pod(`containers:\n  - name: app\n${lines.join('\n')}`);
}

type Refusal = readonly [title: string, text: string, said: RegExp];

const DIRECTIVES: readonly Refusal[] = [
  ['the whole object replaced', '$patch: replace\nmetadata: {}', /^invalid_patch: .*\$patch/],
  ['the whole object deleted', '$patch: delete', /^invalid_patch: .*\$patch/],
  ['the spec replaced', 'spec:\n  $patch: replace', /^protected_field: .*Deployment spec\.replicas/],
  ['the spec deleted', 'spec:\n  $patch: delete', /^protected_field: .*Deployment spec\.replicas/],
  ['only the template retained', 'spec:\n  $retainKeys: [template]', /^protected_field: .*spec\.replicas/],
  [
    'the container deleted',
    pod('containers:\n  - name: app\n    $patch: delete'),
    /^protected_field: .*spec\.containers: containers can not/,
  ],
  [
    'the containers replaced',
    pod('containers:\n  - $patch: replace\n  - name: app\n    image: x'),
    /^protected_field: .*containers\[app\]\.image/,
  ],
  ['no containers', pod('containers: null'), /^protected_field: .*spec\.containers: containers can not/],
  ['the container replaced', app('$patch: replace\nimage: x'), /^protected_field: .*spec\.containers: /],
  [
    'the container renamed',
    pod('containers:\n  - name: main\n    image: x'),
    /^protected_field: .*spec\.containers: .*named app/,
  ],
  ['the container in another spelling', pod('containers:\n  - name: App'), /^protected_field: .*spec\.containers: /],
  [
    'the container twice',
    pod('containers:\n  - name: app\n    image: a\n  - name: app\n    image: b'),
    /^protected_field: .*containers\[app\]\.image/,
  ],
  ['a container without a name', pod('containers:\n  - image: x'), /^invalid_patch: .*containers\[0\]\.name/],
  [
    'sidecars in another order',
    pod('$setElementOrder/initContainers:\n  - name: copy\n  - name: helper'),
    /^protected_field: .*initContainers/,
  ],
  [
    'a variable of a secret deleted',
    app('env:\n  - name: SIGNING\n    $patch: delete'),
    /^protected_field: .*env\[SIGNING\]/,
  ],
  ['all variables replaced', app('env:\n  - $patch: replace'), /^protected_field: .*env\[DATABASE_URL\]/],
  [
    'a variable of a secret as text',
    app('env:\n  - name: SIGNING\n    value: x\n    valueFrom: null'),
    /^protected_field: .*env\[SIGNING\]/,
  ],
  [
    'the volumes replaced',
    pod('volumes:\n  - $patch: replace\n  - name: mine\n    emptyDir: {}'),
    /^protected_field: .*volumes\[data\]/,
  ],
  ['a volume deleted', pod('volumes:\n  - name: data\n    $patch: delete'), /^protected_field: .*volumes\[data\]/],
  [
    'a volume of another source',
    pod('volumes:\n  - name: data\n    $retainKeys: [name, emptyDir]\n    emptyDir: {}'),
    /^protected_field: .*volumes\[data\]/,
  ],
  [
    'a mount deleted',
    app('volumeMounts:\n  - mountPath: /data\n    $patch: delete'),
    /^protected_field: .*volumeMounts\[\/data\]/,
  ],
  [
    'the dropped capabilities',
    app('securityContext:\n  capabilities:\n    $deleteFromPrimitiveList/drop: [ALL]'),
    /^protected_field: .*securityContext/,
  ],
  ['a directive nobody knows', pod('$fromNowhere: true'), /^invalid_patch: .*\$fromNowhere/],
  [
    'a directive inside a new element',
    pod('volumes:\n  - name: mine\n    emptyDir:\n      $patch: replace'),
    /^invalid_patch/,
  ],
];

describe('directives of a Deployment patch', () => {
  it.each(DIRECTIVES)('%s', (_title, text, said) => {
    expect(answer('deployment', text, boundDeployment()).said).toMatch(said);
  });
  it('labels: replaced, deleted or only some retained', () => {
    for (const place of ['metadata:\n  labels:\n    ', 'spec:\n  template:\n    metadata:\n      labels:\n        ']) {
      for (const directive of ['$patch: replace', '$patch: delete', '$retainKeys: [team]']) {
        expect(answer('deployment', `${place}${directive}`).said).toMatch(/^protected_field: .*labels\[/);
      }
      expect(answer('deployment', place.replace(/:\n\s*$/, ': null')).said).toMatch(/^protected_field: .*labels\[/);
    }
  });
  it('lets an allowed list be replaced, emptied and reordered', () => {
    const empty = answer('deployment', app('ports:\n  - $patch: replace\n  - containerPort: 9000'));
    expect(appOf(empty.made).ports).toEqual([{ containerPort: 9000 }]);
    const none = answer('deployment', app('ports:\n  - containerPort: 9000\n    $patch: delete'));
    expect(appOf(none.made).ports.map((port: Loose) => port.containerPort)).not.toContain(9000);
    const order = ['SIGNING', 'DATABASE_URL', 'LOG_LEVEL', 'EMPTY'];
    const turned = answer(
      'deployment',
      app(`$setElementOrder/env:\n${order.map((name) => `  - name: ${name}`).join('\n')}`),
    );
    expect(appOf(turned.made).env.map((item: Loose) => item.name)).toEqual(order);
  });
  it('takes the last of two new variables of one name, and refuses both where there is no list to merge into', () => {
    const twice = app('env:\n  - name: A\n    value: a\n  - name: A\n    value: b');
    const made = appOf(answer('deployment', twice).made);
    expect(made.env.filter((item: Loose) => item.name === 'A')).toEqual([{ name: 'A', value: 'b' }]);
    const bare = base('deployment', 'web');
    delete appOf(bare).env;
    expect(answer('deployment', twice, bare).said).toMatch(/^invalid_patch: .*env\[1\]: is there twice/);
  });
  it('replaces a probe of which nothing is left but what the patch says', () => {
    const { made } = answer('deployment', app('readinessProbe:\n  $patch: replace\n  exec:\n    command: ["true"]'));
    expect(appOf(made).readinessProbe).toEqual({ exec: { command: ['true'] } });
    const elsewhere = app('readinessProbe:\n  $patch: replace\n  tcpSocket:\n    host: x\n    port: 1');
    expect(answer('deployment', elsewhere).said).toMatch(/^protected_field: .*readinessProbe\.tcpSocket\.host/);
  });
});

describe('directives of a Service and an Ingress patch', () => {
  it.each([
    [
      'a port deleted',
      'spec:\n  ports:\n    - port: 9000\n      $patch: delete',
      /^protected_field: .*spec\.ports\[service\]/,
    ],
    [
      'the ports replaced',
      'spec:\n  ports:\n    - $patch: replace\n    - port: 1',
      /^protected_field: .*spec\.ports\[service\]/,
    ],
    [
      'UDP where TCP is',
      'spec:\n  ports:\n    - port: 9000\n      protocol: UDP',
      /^protected_field: .*spec\.ports\[service\]/,
    ],
    [
      'the selector replaced',
      'spec:\n  selector:\n    $patch: replace\n    app: x',
      /^protected_field: .*spec\.selector/,
    ],
  ] as const)('Service: %s', (_title, text, said) => {
    expect(answer('service', text).said).toMatch(said);
  });
  it('adds UDP beside TCP only where all ports are said again', () => {
    const ports = base('service')
      .spec.ports.map((port: Loose) => `    - ${JSON.stringify(port)}`)
      .join('\n');
    const text = `spec:\n  ports:\n    - $patch: replace\n${ports}\n    - { name: dns, port: 9000, protocol: UDP }`;
    const { said, made } = answer('service', text);
    expect(said).toBe('applied');
    expect(made.spec.ports).toHaveLength(base('service').spec.ports.length + 1);
  });
  it.each([
    [
      'the annotations replaced',
      'metadata:\n  annotations:\n    $patch: replace\n    haproxy.org/check: "true"',
      /^protected_field: .*annotations\[/,
    ],
    ['the annotations deleted', 'metadata:\n  annotations:\n    $patch: delete', /^protected_field: .*annotations\[/],
    ['the rules replaced', 'spec:\n  rules: []', /^protected_field: .*Ingress spec/],
  ] as const)('Ingress: %s', (_title, text, said) => {
    expect(answer('ingress', text).said).toMatch(said);
  });
});

const DEEP = Array.from({ length: 24 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n');

describe('the text of a patch', () => {
  it.each([
    ['several documents', 'spec:\n  replicas: 2\n---\nspec:\n  replicas: 2', /^invalid_patch: .*several documents/],
    ['a tag', 'spec:\n  replicas: !!int "5"', /^invalid_patch: .*tag/],
    ['a tag of its own', 'spec: !secret x', /^invalid_patch: .*tag/],
    ['nested aliases', `a0: &a0 [x, x]\n${DEEP}`, /^invalid_patch: .*too many values/],
    ['an alias in itself', 'spec: &a\n  template: *a', /^invalid_patch: .*alias/],
    ['more than 16 KiB', `metadata:\n  annotations:\n    x: ${'y'.repeat(16_384)}`, /^invalid_patch: .*larger/],
    ['a list', '- spec', /^invalid_patch: .*mapping/],
    ['nothing', '', /^invalid_patch: .*mapping/],
    ['a key twice', 'spec: {}\nspec: {}', /^invalid_patch: .*twice/],
    ['the prototype', '__proto__:\n  x: y', /^invalid_patch/],
    ['no YAML', 'spec: [', /^invalid_patch/],
    ['a word for a boolean', pod('hostNetwork: yes'), /^protected_field: .*hostNetwork/],
    ['a boolean as text', pod('enableServiceLinks: "yes"'), /^invalid_patch: .*enableServiceLinks/],
    ['a number as text', pod('terminationGracePeriodSeconds: "60"'), /^invalid_patch: .*terminationGracePeriodSeconds/],
    [
      'an annotation that is a boolean',
      'metadata:\n  annotations:\n    example.com/x: yes',
      /^invalid_patch: .*annotations/,
    ],
    ['a misspelt field', pod('tolerationz: []'), /^invalid_patch: .*tolerationz: unknown/],
    ['the kind', 'kind: Deployment', /^invalid_patch: .*kind/],
    ['the name', 'metadata:\n  name: api', /^invalid_patch: .*metadata\.name/],
    ['the namespace', 'metadata:\n  namespace: other', /^invalid_patch: .*metadata\.namespace/],
  ] as const)('refuses %s', (_title, text, said) => {
    expect(answer('deployment', text).said).toMatch(said);
  });

  it('reads yes as kubectl does: a boolean, which here is no change or an allowed one', () => {
    expect(answer('deployment', pod('hostNetwork: no')).said).toBe('applied');
    expect(podOf(answer('deployment', pod('enableServiceLinks: yes')).made).enableServiceLinks).toBe(true);
  });
  it('lets anchors and merge keys say something once, and protects what they say like any other text', () => {
    const probe =
      'livenessProbe: &probe\n  httpGet: { path: /, port: 9000 }\nstartupProbe:\n  <<: *probe\n  periodSeconds: 7';
    const { made } = answer('deployment', app(probe));
    expect(appOf(made).startupProbe).toMatchObject({ httpGet: { path: '/', port: 9000 }, periodSeconds: 7 });
    const hidden = app('livenessProbe: &probe\n  httpGet: { path: /, port: 1, host: x }\nstartupProbe:\n  <<: *probe');
    expect(answer('deployment', hidden).said).toMatch(/^protected_field: .*httpGet\.host/);
  });
  it('is JSON when it begins with a brace', () => {
    expect(answer('deployment', '{"spec": {"replicas": 9}}').said).toMatch(/^protected_field: .*spec\.replicas/);
    expect(answer('deployment', '{"spec": {"replicas": 2}}').said).toBe('applied');
  });
  it('does not change the object it is given', () => {
    const object = boundDeployment();
    const before = JSON.stringify(object);
    answer('deployment', app('env:\n  - name: NEW\n    value: x\nresources:\n  limits: { cpu: "2" }'), object);
    answer('deployment', 'spec:\n  $patch: replace', object);
    expect(JSON.stringify(object)).toBe(before);
  });
});
