import { z } from 'zod';
import { ok, type Result } from '../../kernel/index.ts';
import type { DeliveryLog, DeliveryRecord } from '../../ports/index.ts';
import type { RedisHandle } from './connect.ts';
import { historyKey, mentionedKey } from './keys.ts';

const Recorded = z.object({
  repository: z.string(),
  deliveryId: z.string().optional(),
  verdict: z.enum(['accepted', 'duplicate', 'malformed', 'repository', 'event', 'refused']),
  ref: z.string().optional(),
  commit: z.string().optional(),
  at: z.string(),
  provenBy: z.enum(['current', 'previous']).optional(),
});

/** What workers read of the deliveries. Commits stay until they are forgotten, at most 1,000 per ref; histories hold the newest 100. */
export function createDeliveryLog(redis: RedisHandle): DeliveryLog {
  const { prefix } = redis;
  return {
    async mentioned(repository, ref) {
      const pairs = await redis.attempt((c) => c.zrange(mentionedKey(prefix, repository, ref), 0, '-1', 'WITHSCORES'));
      if (!pairs.ok) return pairs;
      const commits: { commit: string; at: string }[] = [];
      for (let i = 0; i + 1 < pairs.value.length; i += 2) {
        commits.push({ commit: pairs.value[i] ?? '', at: new Date(Number(pairs.value[i + 1])).toISOString() });
      }
      return ok(commits);
    },

    async forget(repository, ref, commits): Promise<Result<void>> {
      if (commits.length === 0) return ok(undefined);
      const done = await redis.attempt((c) => c.zrem(mentionedKey(prefix, repository, ref), ...commits));
      return done.ok ? ok(undefined) : done;
    },

    async mention(repository, ref, { commit, at }): Promise<Result<void>> {
      const key = mentionedKey(prefix, repository, ref);
      const done = await redis.attempt((c) => c.hakopodAdmit(2, '', key, String(Date.parse(at)), commit));
      return done.ok ? ok(undefined) : done;
    },

    async recent(repository, limit): Promise<Result<readonly DeliveryRecord[]>> {
      if (limit < 1) return ok([]);
      const lines = await redis.attempt((c) => c.lrange(historyKey(prefix, repository), 0, limit - 1));
      return lines.ok ? ok(lines.value.flatMap(readRecord)) : lines;
    },
  };
}

function readRecord(line: string): readonly DeliveryRecord[] {
  try {
    const { ref, commit, deliveryId, provenBy, ...rest } = Recorded.parse(JSON.parse(line));
    return [
      {
        ...rest,
        deliveryId,
        ...(ref === undefined ? {} : { ref }),
        ...(commit === undefined ? {} : { commit }),
        ...(provenBy === undefined ? {} : { provenBy }),
      },
    ];
  } catch {
    // Written by another version; history is for people, so a line less is no failure.
    return [];
  }
}
