import { expect, it } from 'vitest';
import { isDeploymentJob, parseSpec } from '../../src/spec/index.ts';

it.each([
  ['job = { timeout_seconds = 10 }', true],
  ['job = { schedule = { cron = "0 3 * * *" } }', false],
  [
    `command = ["/run"]\njob = { invocation = { allowed_identities = ["${'a'.repeat(32)}"], input_keys = ["a"] } }`,
    false,
  ],
  ['port = 80', false],
])('a service with %s is a deployment job: %s', (table, expected) => {
  const parsed = parseSpec(`name = "a"\n[services.a]\nimage = "a:1"\n${table}\n`);
  const service = parsed.ok ? parsed.application.services.a : undefined;
  expect(service).toBeDefined();
  expect(isDeploymentJob(service!)).toBe(expected);
});
