import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedNetwork, validNetwork } from '../../src/spec/cidr.ts';

test.each([
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['255.255.255.255/32', '255.255.255.255/32'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['192.168.255.1/17', '192.168.128.0/17'],
  ['1.2.3.4/0', '0.0.0.0/0'],
])('%s is the network %s', (text, network) => {
  expect(validNetwork(text)).toBe(true);
  expect(maskedNetwork(text)).toBe(network);
});

test.each([
  '10.0.0.0',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/08',
  '256.0.0.0/8',
  '010.0.0.0/8',
  '10.0.0/8',
  '::/0',
  ' 10.0.0.0/8',
  '10.0.0.0/8\n',
  'localhost/8',
  '',
])('%j is no network', (text) => {
  expect(validNetwork(text)).toBe(false);
  expect(maskedNetwork(text)).toBe(text);
});

test('an address is in its network as Node sees it, and masking again changes nothing', () => {
  const part = fc.nat(255);
  fc.assert(
    fc.property(part, part, part, part, fc.nat(32), (a, b, c, d, prefix) => {
      const address = `${a}.${b}.${c}.${d}`;
      const masked = maskedNetwork(`${address}/${prefix}`);
      const [network = '', length] = masked.split('/');
      const list = new BlockList();
      list.addSubnet(network, Number(length), 'ipv4');
      expect(list.check(address, 'ipv4')).toBe(true);
      expect(maskedNetwork(masked)).toBe(masked);
    }),
  );
});
