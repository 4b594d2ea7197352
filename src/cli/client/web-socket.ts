import { Mailbox } from '../../kernel/index.ts';
import type { MessageSocket } from '../../ports/index.ts';

/** Bytes on their way beyond which the next message waits. */
const HIGH_WATER = 256 * 1024;
const LOOK_AGAIN_MS = 5;

/** Opens a WebSocket at an http(s) address with these headers. Rejects when it can not be opened; it never goes anywhere else. */
export function openWebSocket(address: string, headers: Readonly<Record<string, string>>): Promise<MessageSocket> {
  const url = new URL(address);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  // The second argument is node's own; a browser knows only protocols there.
  const socket = new WebSocket(url, { headers } as never);
  socket.binaryType = 'arraybuffer';
  const inbox = new Mailbox<string | Uint8Array>();
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    inbox.put(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
  };
  socket.onclose = () => inbox.end();
  const isOpen = (): boolean => socket.readyState === WebSocket.OPEN;
  const end: MessageSocket = {
    send: async (message) => {
      while (isOpen() && socket.bufferedAmount > HIGH_WATER)
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      if (isOpen()) socket.send(typeof message === 'string' ? message : new Uint8Array(message));
    },
    receive: () => inbox.take(),
    close: () => socket.close(),
  };
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve(end);
    socket.onerror = () => reject(new Error('the WebSocket could not be opened'));
  });
}
