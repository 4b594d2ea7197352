import type { Amounts, PlacedRequests } from '../../../src/kernel/index.ts';
import { type Preflight, preflight } from '../../../src/plan/index.ts';
import { type Application, parseSpec } from '../../../src/spec/index.ts';
import { observation } from '../../support/capacity.ts';

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;
export const OWN = `hp-${'1'.repeat(32)}`;
export const NOW = new Date('2026-06-02T00:00:00Z');

export function application(toml: string): Application {
  const parsed = parseSpec(`name = "shop"\n${toml}`);
  if (!parsed.ok) throw new Error(parsed.problems.map((p) => `${p.at}: ${p.message}`).join('; '));
  return parsed.application;
}

/** A service of this CPU (thousandths) and memory (MiB). */
export function service(name: string, cpu: number, memory: number, more = ''): string {
  return `[services.${name}]\nimage = "nginx:1"\nresources = { cpu_request = "${cpu}m", cpu_limit = "${Math.max(cpu, 10)}m", memory_request = "${memory}Mi", memory_limit = "${memory}Mi" }\n${more}\n`;
}

/** What other applications' pods ask for on a node, unless `namespace` says that they are ours. */
export function placed(node: string, cpu: number, memory: number, namespace = 'others'): PlacedRequests {
  return { node, namespace, amounts: amounts(cpu, memory) };
}

export function amounts(cpu: number, memory: number, gpus = 0): Amounts {
  return { cpuMillis: cpu, memoryBytes: memory * MIB, gpus };
}

export function judge(
  toml: string,
  cluster: Parameters<typeof preflight>[0]['cluster'] = observation(),
  more: Partial<Parameters<typeof preflight>[0]> = {},
): Preflight {
  return preflight({ application: application(toml), namespace: OWN, cluster, now: NOW, ...more });
}

/** `code status` and where, of each check. */
export function shown({ report }: Preflight): readonly string[] {
  return report.checks.map(({ code, status, at }) => [code, status, at].filter(Boolean).join(' '));
}

/** `at: message` of each problem. */
export function refusals({ problems }: Preflight): readonly string[] {
  return problems.map(({ code, at = '', message }) => `${code} ${at}: ${message}`);
}
