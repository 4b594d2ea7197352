import { type Block, visible } from '../plan/index.ts';

/** How the preview environment of a request stands, for its comment. */
export type EnvironmentNote = {
  readonly state: 'deploying' | 'ready' | 'failed' | 'refused' | 'limited' | 'expired' | 'removed';
  readonly commit: string;
  readonly urls?: Readonly<Record<string, string>> | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly expiresAt?: string | undefined;
};

/**
 * What a comment says of a preview environment: one sentence, its addresses, and in a fence why it is not there. What it promises of its end
 * stays true when the request is closed and nobody writes the comment again. The same input gives the same text.
 */
export function environmentBlocks(note: EnvironmentNote): readonly Block[] {
  const urls = note.state === 'ready' ? Object.entries(note.urls ?? {}) : [];
  const [only] = urls.length === 1 ? urls : [];
  const addresses = only === undefined ? urls.map(([service, url]) => `  - ${service}: <${url}>`) : [];
  const where = only === undefined ? '' : ` at <${only[1]}>`;
  return [
    {
      open: [''],
      lines: [`- **Preview environment**: ${sentence(note)}${where}${end(note)}`, ...addresses],
      close: [],
    },
    ...reason(note),
  ];
}

function sentence({ state, commit, message }: EnvironmentNote): string {
  const of = `commit ${commit}`;
  switch (state) {
    case 'deploying':
      return message === undefined ? `${of} is being deployed` : `${of} is deployed as soon as the one before has gone`;
    case 'ready':
      return `${of} is deployed`;
    case 'failed':
      return `${of} could not be deployed`;
    case 'refused':
      return `${of} may not have one`;
    case 'limited':
      return `${of} has none, because the project has as many as are allowed; it gets one when another goes`;
    case 'expired':
      return 'its time has come and it is gone; a new push brings it back';
    case 'removed':
      return 'it was removed; a new push brings it back';
  }
}

function end({ state, expiresAt }: EnvironmentNote): string {
  const isUp = state === 'deploying' || state === 'ready' || state === 'failed';
  return isUp && expiresAt !== undefined
    ? `; it goes with its volumes on ${expiresAt.slice(0, 10)} at ${expiresAt.slice(11, 16)} UTC, or when the request is closed.`
    : '.';
}

/** The words are ours but for names of the file, which can be no Markdown inside a fence. */
function reason({ state, code, message }: EnvironmentNote): readonly Block[] {
  if ((state !== 'failed' && state !== 'refused') || message === undefined) return [];
  return [
    {
      open: ['', '```text'],
      lines: [`- ${visible(message)}${code === undefined ? '' : ` (${code})`}`],
      close: ['```'],
    },
  ];
}
