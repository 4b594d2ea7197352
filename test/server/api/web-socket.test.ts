import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketEnd } from '../../../src/server/api/web-socket.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A masked ping without content (RFC 6455, 5.2). */
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

describe('a WebSocket', () => {
  it('is given up with an end that talks and takes nothing for 45 s', async () => {
    const connection = new Duplex({ read: () => undefined, write: () => undefined, writableHighWaterMark: 1 });
    const socket = new WebSocketEnd(connection, Buffer.alloc(0));
    let isSent = false;
    void socket.send('text').then(() => {
      isSent = true;
    });
    for (let seconds = 0; seconds < 45; seconds += 5) {
      expect([connection.destroyed, isSent]).toEqual([false, false]);
      connection.push(PING);
      await vi.advanceTimersByTimeAsync(5000);
    }
    expect([connection.destroyed, isSent]).toEqual([true, true]);
    expect(await socket.receive()).toBeUndefined();
  });
});
