/** Two ends that send each other whole messages, in order: a WebSocket, or two halves of one process. */
export interface MessageSocket {
  /** Resolves when the message is on its way and more may be sent; a message to an end that is gone is dropped. */
  send(message: string | Uint8Array): Promise<void>;
  /** The next message; `undefined` once the other end is gone. */
  receive(): Promise<string | Uint8Array | undefined>;
  /** Says goodbye; what was sent before still arrives. */
  close(): void;
}
