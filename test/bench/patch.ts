import { performance } from 'node:perf_hooks';
import { applyPatch, type Fields, type PatchKind } from '../../src/patch/index.ts';
import { allObjects, renderApplication } from '../../src/render/index.ts';
import { base, boundDeployment } from '../patch/protect-fixture.ts';
import { violations } from '../patch/protected-oracle.ts';
import { randomPatch, seeded } from '../patch/random-patch.ts';
import { inputFor } from '../render/fixture.ts';
import { percentile } from './load.ts';

const SERVICES = 20;
const KINDS: Readonly<Record<string, PatchKind>> = { Deployment: 'deployment', Service: 'service', Ingress: 'ingress' };

/** Patches such as people write, one of each kind for every service. */
const PATCHES: Readonly<Record<PatchKind, string>> = {
  deployment: `
spec:
  template:
    metadata:
      annotations:
        prometheus.io/scrape: "true"
    spec:
      tolerations:
        - key: dedicated
          operator: Equal
          value: api
          effect: NoSchedule
      containers:
        - name: app
          livenessProbe:
            httpGet:
              path: /livez
              port: 8080
            periodSeconds: 10
`,
  service: `
metadata:
  labels:
    team: blue
spec:
  ports:
    - name: metrics
      port: 9500
`,
  ingress: `
metadata:
  annotations:
    haproxy.org/load-balance: leastconn
    haproxy.org/timeout-server: 120s
`,
};

/**
 * `missed`: protected fields that one of 100,000 random patches changed, by an oracle that shares nothing with the rules; has to be 0.
 * `render_ms`: the median time of rendering 20 public services and applying a patch to each of their three objects, from text; has to
 * be under 25 on a machine that does nothing else. `render_cpu_ms`: what it takes of a processor, whatever else runs.
 */
export async function runPatchBench(options: { readonly smoke?: boolean } = {}): Promise<Record<string, number>> {
  const smoke = options.smoke ?? false;
  return { ...fuzz(smoke ? 2_000 : 100_000), ...render(smoke ? 20 : 300) };
}

function fuzz(patches: number): Record<string, number> {
  const objects = [
    ['deployment', base('deployment')],
    ['deployment', boundDeployment()],
    ['service', base('service')],
    ['ingress', base('ingress')],
  ] as const;
  let [applied, missed] = [0, 0];
  const codes = new Map<string, number>();
  for (let seed = 0; seed < patches; seed += 1) {
    const [kind, object] = objects[seed % objects.length]!;
    const patch = randomPatch(kind, object, seeded(seed));
    const result = applyPatch({ kind, object: object as Fields, text: JSON.stringify(patch), at: 'x' });
    if (!result.ok) {
      codes.set(result.problem.code, (codes.get(result.problem.code) ?? 0) + 1);
      continue;
    }
    applied += 1;
    const found = violations(kind, object, result.value);
    if (found.length === 0) continue;
    missed += 1;
    console.log(`seed ${seed}: ${found.join(', ')}: ${JSON.stringify(patch)}`);
  }
  console.log(`${patches} patches: ${applied} applied, ${[...codes].map(([code, n]) => `${n} ${code}`).join(', ')}`);
  return { patches, applied, protected_field: codes.get('protected_field') ?? 0, missed };
}

function render(rounds: number): Record<string, number> {
  const services = Array.from({ length: SERVICES }, (_, index) => {
    return `[services.s${index}]\nimage = "registry.example.com/s${index}:1"\nport = 8080\npublic = true\n`;
  });
  const input = inputFor(`schema_version = 1\nname = "shop"\n${services.join('')}`);
  const times: number[] = [];
  let patched = 0;
  let cpu = process.cpuUsage();
  // The first rounds warm up.
  for (let round = -rounds / 10; round < rounds; round += 1) {
    if (round === 0) cpu = process.cpuUsage();
    const start = performance.now();
    const rendered = renderApplication(input);
    if (!rendered.ok) throw new Error(rendered.problem.message);
    patched = 0;
    for (const object of allObjects(rendered.value)) {
      const kind = KINDS[object.kind];
      if (kind === undefined) continue;
      const result = applyPatch({ kind, object: object as unknown as Fields, text: PATCHES[kind], at: 'x' });
      if (!result.ok) throw new Error(result.problem.message);
      patched += 1;
    }
    if (round >= 0) times.push(performance.now() - start);
  }
  const used = process.cpuUsage(cpu);
  const cpuMs = (used.user + used.system) / 1000 / rounds;
  const [median, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  console.log(
    `${SERVICES} services, ${patched} patches a render: ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of processor`,
  );
  return { services: SERVICES, objects: patched, render_ms: median, render_p95_ms: p95, render_cpu_ms: cpuMs };
}
