import { expect, test } from 'vitest';
import { canonicalMemory, cpuMillis, formatCpu, memoryBytes } from '../../src/spec/quantity.ts';

test.each([
  ['1m', 1, '1m'],
  ['0.001', 1, '1m'],
  ['64', 64_000, '64'],
  ['64000m', 64_000, '64'],
  ['1.5', 1500, '1500m'],
  ['0.5', 500, '500m'],
  ['2.000', 2000, '2'],
  ['0', undefined, ''],
  ['0m', undefined, ''],
  ['0.0001', undefined, ''],
  ['64.001', undefined, ''],
  ['64001m', undefined, ''],
  ['1.5m', undefined, ''],
  ['-1', undefined, ''],
  ['1e3', undefined, ''],
  ['.5', undefined, ''],
  [' 1', undefined, ''],
  [`${'0'.repeat(31)}1`, 1000, '1'],
  [`${'0'.repeat(32)}1`, undefined, ''],
])('cpu %s is %s thousandths', (text, millis, canonical) => {
  expect(cpuMillis(text)).toBe(millis);
  if (millis !== undefined) expect(formatCpu(millis)).toBe(canonical);
});

test.each([
  ['1Mi', 1_048_576, '1Mi'],
  ['1024Ki', 1_048_576, '1Mi'],
  ['1048576', 1_048_576, '1048576'],
  ['1048575', undefined, ''],
  ['1M', undefined, ''],
  ['2M', 2_000_000, '2M'],
  ['2000k', 2_000_000, '2M'],
  ['2000000', 2_000_000, '2M'],
  ['1000M', 1_000_000_000, '1G'],
  ['1536Mi', 1_610_612_736, '1536Mi'],
  ['256Gi', 274_877_906_944, '256Gi'],
  ['257Gi', undefined, ''],
  ['1Ti', undefined, ''],
  ['0.25Ti', undefined, ''],
  ['274877906944', 274_877_906_944, '274877906944'],
  ['274877906945', undefined, ''],
  ['1Kb', undefined, ''],
  ['1K', undefined, ''],
  ['', undefined, ''],
])('memory %s is %s bytes', (text, bytes, canonical) => {
  expect(memoryBytes(text)).toBe(bytes);
  if (bytes !== undefined) expect(canonicalMemory(text)).toBe(canonical);
});
