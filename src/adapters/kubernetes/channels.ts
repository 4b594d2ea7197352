import type { SecureContextOptions } from 'node:tls';
import { Exec, type KubeConfig } from '@kubernetes/client-node';

/** How the other side is reached: what a request would use too. */
export type ChannelAccess = {
  readonly server: string;
  readonly tls: SecureContextOptions & { readonly rejectUnauthorized: boolean; readonly servername?: string };
  readonly headers: Readonly<Record<string, string>>;
};

export type ChannelRequest = {
  /** Path and query below the server. */
  readonly path: string;
  /** Milliseconds the stream may take to open. */
  readonly setupMs: number;
  /** A frame of the other side: its channel, and bytes that nobody else holds. Called in order. */
  readonly onFrame: (channel: number, data: Buffer) => void;
  /** The connection is gone, whoever ended it. Called once, after the last frame. */
  readonly onGone: () => void;
};

/** Frames of numbered channels both ways over one WebSocket, as Kubernetes' streaming calls speak them. */
export interface Channels {
  /** Resolves when the frame has left for the network; rejects when the connection is gone. */
  send(channel: number, data: Uint8Array): Promise<void>;
  /** Stops and starts reading: a reader that is slow makes the other side wait instead of filling our memory. */
  pause(): void;
  resume(): void;
  /** Cuts the connection at once. */
  close(): void;
}

/** What we use of the library's socket, whose own types come from a package that is not installed. */
type Socket = {
  onmessage: (event: { readonly data: unknown }) => void;
  send(data: Uint8Array, done: (error?: Error) => void): void;
  pause(): void;
  resume(): void;
  terminate(): void;
  once(event: 'close', listener: () => void): void;
};

/** The API server forwards what fits into its own buffers, far below this. */
const MAX_FRAME = 1024 * 1024;

/** Opens channels; rejects when the server refuses, can not be reached or takes longer than `setupMs`. Redirects are not followed. */
export async function openChannels(access: ChannelAccess, request: ChannelRequest): Promise<Channels> {
  const options = {
    ...access.tls,
    headers: access.headers,
    handshakeTimeout: request.setupMs,
    maxPayload: MAX_FRAME,
    perMessageDeflate: false,
    followRedirects: false,
  };
  // The handler asks its configuration for these two things only; ours re-reads rotated credentials, the library's does not.
  const config = {
    getCurrentCluster: () => ({ server: access.server }),
    applyToHTTPSOptions: async (target: object) => void Object.assign(target, options),
  } as unknown as KubeConfig;
  const { handler } = new Exec(config);
  // On a frame that closes a channel it would otherwise touch the streams of our process.
  const nowhere = { pause: () => undefined, end: () => undefined };
  Object.assign(handler, { streams: { stdin: nowhere, stdout: nowhere, stderr: nowhere } });
  const onFrame = (channel: number, data: Buffer): boolean => {
    request.onFrame(channel, data);
    return true;
  };
  const socket = (await handler.connect(request.path, null, onFrame)) as unknown as Socket;
  // From here on without the library's reader, which throws out of reach at a frame without a channel.
  socket.onmessage = ({ data }) => {
    if (Buffer.isBuffer(data) && data.length > 0) request.onFrame(data[0] ?? 0, data.subarray(1));
  };
  socket.once('close', request.onGone);
  return {
    send: (channel, data) =>
      new Promise((resolve, reject) => {
        const frame = Buffer.concat([Buffer.of(channel), data]);
        socket.send(frame, (error) => (error === undefined || error === null ? resolve() : reject(error)));
      }),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.terminate(),
  };
}
