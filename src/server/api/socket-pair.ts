import { Mailbox } from '../../kernel/index.ts';
import type { MessageSocket } from '../../ports/index.ts';

type Message = string | Uint8Array;

/** Two ends in one process: what one sends the other receives. */
export function socketPair(): readonly [MessageSocket, MessageSocket] {
  const [first, second] = [new Mailbox<Message>(), new Mailbox<Message>()];
  const close = (): void => {
    first.end();
    second.end();
  };
  return [
    { send: async (message) => second.put(message), receive: () => first.take(), close },
    { send: async (message) => first.put(message), receive: () => second.take(), close },
  ];
}
