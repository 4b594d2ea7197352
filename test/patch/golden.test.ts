import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePatch, strategicMerge } from '../../src/patch/index.ts';
import { CASES, OBJECTS } from './cases.ts';
import { Oracle, oracleBinary, type Said } from './oracle.ts';

/*
 * kubectl's recorded answers, for where there is no Go. Where there is, they are compared with kubectl itself; UPDATE_GOLDENS=1 writes
 * them anew.
 */
const FILE = new URL('../golden/patch/kubectl.json', import.meta.url);

type Recorded = Readonly<Record<string, Said>>;

function recorded(): Recorded {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;
}

const binary = await oracleBinary();
if (binary !== undefined && process.env.UPDATE_GOLDENS === '1') {
  const lines = Object.entries(await asked(binary)).map((entry) =>
    entry.map((part) => JSON.stringify(part)).join(': '),
  );
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

async function asked(program: string): Promise<Recorded> {
  const oracle = new Oracle(program);
  const answers: Record<string, Said> = {};
  for (const { title, kind, text } of CASES) answers[title] = await oracle.patch(OBJECTS[kind], text);
  oracle.stop();
  return answers;
}

describe("kubectl's recorded answers", () => {
  const answers = recorded();

  it.each(CASES.map((one) => [one.title, one] as const))('%s', (title, { kind, text }) => {
    const patch = parsePatch(text);
    const ours = patch.ok ? strategicMerge(kind, OBJECTS[kind], patch.value) : patch;
    const said = answers[title]!;
    if (said.error === undefined) expect(ours).toEqual({ ok: true, value: said.result });
    else expect(ours).toMatchObject({ ok: false, problem: { code: 'invalid_patch' } });
  });

  it('are not changed by merging', () => {
    const before = structuredClone(OBJECTS);
    for (const { kind, text } of CASES) {
      const patch = parsePatch(text);
      if (patch.ok) strategicMerge(kind, OBJECTS[kind], patch.value);
    }
    expect(OBJECTS).toEqual(before);
  });

  it.skipIf(binary === undefined)('are those of kubectl', async () => {
    expect(await asked(binary!)).toEqual(answers);
  });
});
