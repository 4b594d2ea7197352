import { fitMarkdown, planBody, planOffline } from '../../src/plan/index.ts';
import { parseSpec } from '../../src/spec/index.ts';

const SERVICES = 20;
const TARGET_MS = 25;

/** One service with most of what a file has; `version` changes most of it. */
function service(i: number, version: number): string {
  const lines = [
    `[services.s${i}]`,
    `image = "registry.example.com/acme/s${i}:${version}"`,
    'port = 8080',
    `ports = [{ name = "metrics", port = ${9000 + version} }]`,
    'public = true',
    'healthcheck = "/healthz"',
    `replicas = ${version}`,
    `command = ["/app/s${i}", "--version", "${version}"]`,
    `depends_on = [${i === 0 ? '' : `"s${i - 1}"`}]`,
    'networks = ["back", "default"]',
    `termination_grace_seconds = ${20 + version}`,
    `resources = { cpu_request = "${100 * version}m", memory_request = "${128 * version}Mi" }`,
    `[services.s${i}.env]`,
    ...Array.from({ length: 30 }, (_, n) => `V${n} = "value ${n} of ${version}"`),
    `[services.s${i}.secrets]`,
    ...Array.from({ length: 5 }, (_, n) => `K${n} = { ref = "s${i}-${n}-${version}" }`),
    `[services.s${i}.files.settings]`,
    'mount_path = "/etc/acme/settings.yaml"',
    `content = """\n${`setting: ${version}\n`.repeat(50)}"""`,
  ];
  return lines.join('\n');
}

function file(version: number): string {
  const services = Array.from({ length: SERVICES }, (_, i) => service(i, version));
  return `name = "shop"\n${services.join('\n')}\n[networks.back]\ninternal = true\n`;
}

type Times = Readonly<Record<'all' | 'cpu' | 'plan' | 'markdown', number>>;

/**
 * Parses both files, as a delivery does, and compares them; `plan` alone is the comparison without parsing, `cpu` what the process worked
 * for all of it, which a busy machine changes little. Milliseconds.
 */
function once(previous: string, next: string): Times {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const [before, after] = [parseSpec(previous), parseSpec(next)];
  if (!before.ok || !after.ok) throw new Error('the bench has a file that is not valid');
  const parsed = performance.now();
  const plan = planOffline(after.application, before.application);
  const planned = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  if (plan.refusals.length > 0 || plan.changes.length < SERVICES * 5) throw new Error('the bench plans something else');
  const { heading, blocks } = planBody(plan);
  fitMarkdown({ head: [heading], blocks, foot: [] });
  const markdown = performance.now() - planned;
  return { all: planned - start, cpu: (user + system) / 1000, plan: planned - parsed, markdown };
}

function quantile(sorted: readonly number[], q: number): number {
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0) * 100) / 100;
}

/** Plans 20 services against 20 changed ones: parse, check, plan. Target: under 25 ms. */
export async function runPlanBench({ smoke }: { readonly smoke: boolean }): Promise<Record<string, number>> {
  const [previous, next] = [file(1), file(2)];
  const runs = smoke ? 5 : 100;
  console.log(`${SERVICES} services against ${SERVICES} changed ones, ${previous.length} bytes each, ${runs} runs`);
  const first = once(previous, next);
  for (let i = 0; i < (smoke ? 2 : 20); i += 1) once(previous, next);
  const measured = Array.from({ length: runs }, () => once(previous, next));
  const sorted = (of: keyof Times): readonly number[] => measured.map((one) => one[of]).sort((a, b) => a - b);
  const figures = {
    services: SERVICES,
    bytes: previous.length,
    bestMs: quantile(sorted('all'), 0),
    firstMs: quantile([first.all], 0),
    medianMs: quantile(sorted('all'), 0.5),
    p95Ms: quantile(sorted('all'), 0.95),
    cpuMedianMs: quantile(sorted('cpu'), 0.5),
    planOnlyMedianMs: quantile(sorted('plan'), 0.5),
    markdownMedianMs: quantile(sorted('markdown'), 0.5),
    targetMs: TARGET_MS,
  };
  console.log(`parse, check and plan: median ${figures.medianMs} ms, p95 ${figures.p95Ms} ms; target ${TARGET_MS} ms`);
  return figures;
}
