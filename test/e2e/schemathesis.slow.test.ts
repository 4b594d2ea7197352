import { spawn, spawnSync } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedApi, serveApi } from '../support/served-api.ts';

const SETUP = fileURLToPath(new URL('../../scripts/setup-schemathesis.sh', import.meta.url));
/** Requests to each operation, at most. */
const EXAMPLES = 20;
/**
 * Everything Schemathesis can judge but `positive_data_acceptance`: that a value fits its schema does not make it true (a revision that is
 * stale, an expiry in the past, a file with two ports of one number).
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];

/** Statuses that refuse; its own list lacks 413. */
const REFUSALS = `[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 429]
`;
/** It learns ids from answers, and would soon revoke the key it uses. */
const TAKING_AWAY = ['revokeKey', 'deleteIdentity', 'replaceIdentity', 'rotateKey'];
const WITHOUT_OWN = TAKING_AWAY.flatMap((id) => ['--exclude-operation-id', id]);
const OWN = TAKING_AWAY.flatMap((id) => ['--include-operation-id', id]);

const setup = spawnSync('bash', [SETUP], { encoding: 'utf8', timeout: 300_000 });
if (setup.status !== 0) console.warn(`the fuzz of the API is SKIPPED: ${setup.stderr.trim().split('\n').at(-1)}`);

describe.skipIf(setup.status !== 0)('the running API under Schemathesis', () => {
  let served: ServedApi;
  beforeAll(async () => {
    served = await serveApi();
  });
  afterAll(() => served.world.stop());

  it.each([
    ['but of what could take the key away', WITHOUT_OWN],
    ['of that alone, last', OWN],
  ])(
    'fails at nothing and keeps to its document, with requests %s',
    async (_, chosen) => {
      const { origin, admin, world } = served;
      await writeFile(join(world.folder, 'schemathesis.toml'), REFUSALS);
      const args = ['run', `${origin}/api/v1/openapi.json`, '--header', `Authorization: Bearer ${admin}`, ...chosen];
      const bounds = ['--max-examples', String(EXAMPLES), '--seed', '20261129', '--workers', '1', '--no-color'];
      const scope = ['--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(','), '--request-timeout', '20'];
      const report = join(world.folder, 'schemathesis.txt');
      const file = await open(report, 'w');
      const child = spawn(
        setup.stdout.trim(),
        [...args, ...bounds, ...scope, '--suppress-health-check', 'all', '--continue-on-failure'],
        {
          cwd: world.folder,
          timeout: 600_000,
          env: { PATH: process.env.PATH, HOME: world.folder },
          stdio: ['ignore', file.fd, file.fd],
        },
      );
      const code = await new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('exit', (status, signal) => resolve(status ?? signal));
      });
      await file.close();
      const text = (await readFile(report, 'utf8')).replaceAll(admin, 'hp_…');
      // Shown whole when it is not what it should be.
      expect(code, text.slice(0, 20_000)).toBe(0);
      expect(text).toMatch(/\d{3,} generated, \d+ passed/);
      // What went wrong inside would have been answered 500; nothing may even have been logged as such.
      expect(world.lines.filter((line) => line.includes('which is a bug'))).toEqual([]);
    },
    1_000_000,
  );
});
