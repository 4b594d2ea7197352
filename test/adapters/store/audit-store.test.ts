import { describe, expect, it } from 'vitest';
import { createAuditStore } from '../../../src/adapters/store/audit-store.ts';
import { fail, type Manifest, ok, problem, type Result } from '../../../src/kernel/index.ts';
import type { AuditEvent, Cluster } from '../../../src/ports/index.ts';
import { memoryLog } from '../../support/kubernetes.ts';

const EVENT: AuditEvent = {
  time: '2026-06-01T00:00:00.000Z',
  identity: 'ada',
  origin: 'api',
  action: 'key.create',
  resource: { kind: 'Key', name: 'k' },
};

/** A store over a cluster that answers creates from a list, and what it asked for. */
function over(answers: ((object: Manifest) => Result<Manifest>)[]) {
  const asked: Manifest[] = [];
  const lines: string[] = [];
  const log = memoryLog();
  const cluster = {
    create: async (object: Manifest) => {
      asked.push(object);
      return (answers.shift() ?? ok)(object);
    },
  } as unknown as Cluster;
  const store = createAuditStore({
    ...{ cluster, namespace: 'ns', log },
    clock: { now: () => new Date(0), sleep: async () => undefined },
    random: { hex: (bytes) => '0'.repeat(bytes * 2) },
    line: (text) => lines.push(text),
  });
  return { store, asked, lines, log };
}

const away = () => fail(problem('cluster_unavailable'));

describe('a change', () => {
  it('is put on record under one name, however often the cluster has to be asked', async () => {
    const { store, asked, lines, log } = over([away, () => fail(problem('already_exists'))]);
    await store.append(EVENT);
    expect(asked.map(({ metadata }) => metadata.name)).toEqual([asked[0]!.metadata.name, asked[0]!.metadata.name]);
    expect(lines).toEqual([JSON.stringify({ audit: EVENT })]);
    expect(log.lines).toEqual([]);
  });

  it('that can not be put on record is printed all the same, said so, and fails nobody', async () => {
    for (const [answers, tries] of [
      [[away, away, away, ok], 3],
      [[() => fail(problem('forbidden')), ok], 1],
    ] as const) {
      const { store, asked, lines, log } = over([...answers]);
      await store.append(EVENT);
      expect(asked).toHaveLength(tries);
      expect(lines).toHaveLength(1);
      expect(log.lines).toMatchObject([{ level: 'error', message: 'a change is not on record' }]);
    }
  });

  it('sorts before every older one, also when the clock stands still or goes back', async () => {
    const { store, asked } = over([]);
    for (const time of ['2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'])
      await store.append({ ...EVENT, time });
    const names = asked.map(({ metadata }) => metadata.name);
    expect([...names].sort()).toEqual([...names].reverse());
    expect(names[0]).toMatch(/^[0-9a-f]{12}-[0-9a-f]{8}$/);
  });
});
