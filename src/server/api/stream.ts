import { type Problem, problem, type Result } from '../../kernel/index.ts';
import { type Deployment, type DeploymentEvent, type ReleaseFollower, TERMINAL } from '../../ports/api/index.ts';
import { watchAuthority } from './authority.ts';

/** Limits of streams (facts 7.1, 7.4); times in milliseconds. */
export type StreamLimits = {
  readonly streams: number;
  readonly heartbeatMs: number;
  readonly longestMs: number;
  /** How often authority is read again, and how long that may take. */
  readonly authorityMs: number;
  readonly authorityReadMs: number;
};
export const STREAM_LIMITS: StreamLimits = {
  streams: 16,
  heartbeatMs: 15_000,
  longestMs: 600_000,
  authorityMs: 3_000,
  authorityReadMs: 2_000,
};

/** Of every stream; a proxy in front keeps nothing back. */
const STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

/** The head of a stream without the stream: what nobody reads, nobody would end. */
export function streamHead(): Response {
  return new Response(null, { headers: STREAM_HEADERS });
}

export type StreamRequest = {
  /** The release as it was when it was asked for. */
  readonly deployment: Deployment;
  readonly lastEventId: string | undefined;
  /** Reads the principal's authority again; a failure ends the stream. */
  readonly authority: () => Promise<Result<void>>;
};

/** Open streams of events. */
export type Streams = {
  open(request: StreamRequest): Response | Problem;
  /** Ends all of them; those who read come again with the last id. */
  close(): void;
};

/** Makes the streams. Each sends the events after the last one its reader saw, then those that come, and ends with the release. */
export function createStreams(follower: ReleaseFollower, limits: StreamLimits): Streams {
  const ends = new Set<() => void>();
  return {
    open({ deployment, lastEventId, authority }) {
      const first = eventsAfter(deployment.events, lastEventId);
      // 204 tells a reader that reconnects by itself (EventSource) to stop.
      if (lastEventId !== undefined && first.length === 0 && isOver(deployment))
        return new Response(null, { status: 204 });
      if (ends.size >= limits.streams) return problem('stream_limit');
      const encoder = new TextEncoder();
      let end = (): void => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const sent = new Set(deployment.events.filter((event) => !first.includes(event)).map(({ id }) => id));
          let isOpen = true;
          const send = (text: string): void => {
            if (isOpen) controller.enqueue(encoder.encode(text));
          };
          const stops: (() => void)[] = [];
          end = () => {
            if (!isOpen) return;
            isOpen = false;
            ends.delete(end);
            for (const stop of stops) stop();
            try {
              controller.close();
            } catch {
              // The reader went first.
            }
          };
          ends.add(end);
          const show = (state: Deployment): void => {
            for (const event of state.events) {
              if (sent.has(event.id)) continue;
              sent.add(event.id);
              send(frame(event, state));
            }
            if (isOver(state)) end();
          };
          send(': connected\n\n');
          show(deployment);
          if (!isOpen) return;
          const timers = [
            setInterval(() => send(': heartbeat\n\n'), limits.heartbeatMs),
            setTimeout(() => end(), limits.longestMs),
          ];
          stops.push(watchAuthority(authority, limits, end), () => {
            for (const timer of timers) clearInterval(timer);
          });
          const following = follower.follow(deployment.id, show);
          stops.push(() => following.stop());
          // The follower may have told the end at once, before it could be stopped.
          if (!isOpen) following.stop();
        },
        cancel: () => end(),
      });
      return new Response(body, { headers: STREAM_HEADERS });
    },
    close() {
      for (const end of [...ends]) end();
    },
  };
}

function isOver({ status }: Deployment): boolean {
  return TERMINAL.includes(status);
}

/** An id that is not among the last events is older than all of them, or of nothing: the reader gets all there are. */
function eventsAfter(events: readonly DeploymentEvent[], last: string | undefined): readonly DeploymentEvent[] {
  return last === undefined ? events : events.slice(events.findIndex(({ id }) => id === last) + 1);
}

function frame(event: DeploymentEvent, { id, status }: Deployment): string {
  return `id: ${event.id}\nevent: deployment\ndata: ${JSON.stringify({ ...event, deployment_id: id, status })}\n\n`;
}
