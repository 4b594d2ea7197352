import { describe, expect, it } from 'vitest';
import { buildFailure, usefulLines } from '../../src/build/index.ts';
import { problem } from '../../src/kernel/index.ts';
import { describeOutcome } from '../../src/status/index.ts';

const FAILED = [
  'context: 2 files, 100 bytes',
  'STEP 1/3: FROM scratch',
  'STEP 3/3: RUN npm run build',
  '',
  'npm ERR! Missing script: "build"',
  '[1/2] STEP 1/2: FROM x',
  'time="2026-11-29" level=error msg="exit status 1"',
  'subprocess exited with status 1',
  'Error: building at STEP "RUN npm run build": exit status 1',
];

describe('what a failed build says', () => {
  it('is its last telling lines', () => {
    expect(usefulLines(FAILED, 2)).toEqual([
      'npm ERR! Missing script: "build"',
      'Error: building at STEP "RUN npm run build": exit status 1',
    ]);
    expect(usefulLines(['', 'STEP 1/1: FROM scratch'])).toEqual([]);
  });

  it("puts the step's own words first, under the field", () => {
    const failure = buildFailure('web', problem('build_failed'), FAILED.slice(1));
    expect(failure).toMatchObject({
      code: 'build_failed',
      at: 'services.web.build',
      message: 'npm ERR! Missing script: "build"; STEP "RUN npm run build": exit status 1',
    });
    const shown = describeOutcome({ kind: 'failed', problem: failure });
    expect(shown.description.startsWith('failed: services.web.build: npm ERR! Missing script')).toBe(true);
    expect(shown.description.length).toBeLessThanOrEqual(140);
  });

  it('is bounded, and the catalogue where the log says nothing', () => {
    const long = buildFailure('web', problem('build_failed'), ['x'.repeat(2000), 'y'.repeat(2000)]);
    expect(long.message.length).toBeLessThanOrEqual(500);
    expect(buildFailure('web', problem('build_failed'), []).message).toBe('an image did not build');
  });

  it('is our own text for everything else that can go wrong', () => {
    const failure = buildFailure('web', problem('build_timeout'), FAILED);
    expect(failure).toMatchObject({
      code: 'build_timeout',
      at: 'services.web.build',
      message: problem('build_timeout').message,
    });
  });
});
