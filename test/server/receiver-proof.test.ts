import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/redis.ts';
import { call, type Harness, pushBody, signed, startReceiver } from './harness.ts';

let receiver: Harness;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.server.stop());

/** A delivery that proves this secret. */
function provenBy(secret: string, body: string, event = 'push') {
  const delivery = signed(body, { event });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { ...delivery, headers: { ...delivery.headers, 'x-hub-signature-256': signature } };
}

it.each(['current', 'previous'] as const)('says of a push that the %s secret proved it', async (which) => {
  expect((await call(receiver.port, provenBy(`${which}-secret`, pushBody()))).status).toBe(202);
  expect(receiver.accepted).toMatchObject([{ provenBy: which }]);
});

it.each(['current', 'previous'] as const)('says it of a ping too: %s', async (which) => {
  await call(receiver.port, provenBy(`${which}-secret`, '{"zen":"x"}', 'ping'));
  await until(() => receiver.recorded.length === 1, 'a record');
  expect(receiver.recorded).toMatchObject([{ verdict: 'event', provenBy: which }]);
});

it('says nothing of a delivery that proved none', async () => {
  expect((await call(receiver.port, provenBy('another-secret', pushBody()))).status).toBe(401);
  await until(() => receiver.recorded.length === 1, 'a record');
  expect(receiver.recorded[0]).not.toHaveProperty('provenBy');
});
