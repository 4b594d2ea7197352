import { afterEach, describe, expect, it } from 'vitest';
import { createTxtResolver } from '../../../src/adapters/dns/index.ts';
import { type NameServer, startNameServer, type TxtAnswer } from '../../support/name-server.ts';

const open: NameServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.stop();
});

async function nameServer(answer: TxtAnswer): Promise<NameServer> {
  const server = await startNameServer(() => answer);
  open.push(server);
  return server;
}

function ask(server: string, timeoutMs = 2000) {
  return createTxtResolver({ servers: [server], timeoutMs }).txt('_hakopod-challenge.shop.example.com');
}

describe('TXT records', () => {
  it('come from the name server it is told, each as one text', async () => {
    const { address, asked } = await nameServer([['hakopod-domain-', 'verification=abc'], ['v=spf1 -all']]);
    expect(await ask(address)).toEqual({ ok: true, value: ['hakopod-domain-verification=abc', 'v=spf1 -all'] });
    expect(asked).toEqual(['_hakopod-challenge.shop.example.com']);
  });

  it.each(['nxdomain', []] as const)('are none when the answer is %s', async (answer) => {
    const { address } = await nameServer(answer);
    expect(await ask(address)).toEqual({ ok: true, value: [] });
  });

  it.each(['servfail', 'silence'] as const)('can not be told when the answer is %s', async (answer) => {
    const { address } = await nameServer(answer);
    const began = performance.now();
    expect(await ask(address, 400)).toMatchObject({ ok: false, problem: { code: 'dns_unavailable' } });
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
