import { gunzipSync, gzipSync } from 'node:zlib';
import type { PullRequestPlan } from '../../ports/index.ts';

/** Characters of a packed text. A repository keeps at most a hundred such plans, and every process has them in memory. */
const PACKED = 64 * 1024;
/** Bytes that unpacking gives at most: a text has no more lines than a specification has characters. */
const UNPACKED = 8 * 1024 * 1024;

/** Where the page of a plan is; whoever opens it needs a key that may read it. */
export function planPageUrl(publicUrl: string, plan: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/plans/${plan}`;
}

/** The whole plan as text for its page, gzip and base64. Of a text that is too long the last lines are left out, and said. */
export function packPlanText(text: string): string {
  const lines = text.trimEnd().split('\n');
  for (let kept = lines.length; ; kept = Math.floor(kept / 2)) {
    const rest = lines.length - kept;
    const shown = rest === 0 ? lines : [...lines.slice(0, kept), '', `(${rest} more lines)`];
    const packed = gzipSync(`${shown.join('\n')}\n`, { level: 9 }).toString('base64');
    if (packed.length <= PACKED || kept === 0) return packed;
  }
}

/** That text; `undefined` when the plan has none or it can not be read. */
export function planTextOf({ status }: Pick<PullRequestPlan, 'status'>): string | undefined {
  if (status.text === undefined) return undefined;
  try {
    return gunzipSync(Buffer.from(status.text, 'base64'), { maxOutputLength: UNPACKED }).toString('utf8');
  } catch {
    return undefined;
  }
}
