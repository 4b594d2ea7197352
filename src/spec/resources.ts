import type { Service, Size } from './application.ts';
import { cpuMillis, memoryBytes } from './quantity.ts';

/** Requests and limits as Kubernetes quantities, all present. */
export type EffectiveResources = {
  readonly cpu_request: string;
  readonly cpu_limit: string;
  readonly memory_request: string;
  readonly memory_limit: string;
};

/** The size profiles (facts 1.4). */
export const PROFILES: Readonly<Record<Size, EffectiveResources>> = {
  small: { cpu_request: '120m', cpu_limit: '600m', memory_request: '154Mi', memory_limit: '308Mi' },
  medium: { cpu_request: '300m', cpu_limit: '1200m', memory_request: '308Mi', memory_limit: '615Mi' },
  large: { cpu_request: '600m', cpu_limit: '2400m', memory_request: '615Mi', memory_limit: '1229Mi' },
  compute: { cpu_request: '1200m', cpu_limit: '4800m', memory_request: '2458Mi', memory_limit: '4916Mi' },
  gpu: { cpu_request: '2', cpu_limit: '8', memory_request: '8Gi', memory_limit: '16Gi' },
};

/** What one replica of a service asks for: its own quantities over its size's profile. */
export function effectiveResources(service: Pick<Service, 'size' | 'resources'>): EffectiveResources {
  return { ...PROFILES[service.size], ...service.resources };
}

/** CPU (thousandths of a core) and memory (bytes) one replica requests and may use at most. */
export function resourceAmounts(service: Pick<Service, 'size' | 'resources'>): {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
} {
  const effective = effectiveResources(service);
  return {
    cpuRequest: cpuMillis(effective.cpu_request) ?? 0,
    cpuLimit: cpuMillis(effective.cpu_limit) ?? 0,
    memoryRequest: memoryBytes(effective.memory_request) ?? 0,
    memoryLimit: memoryBytes(effective.memory_limit) ?? 0,
  };
}
