import { describe, expect, it } from 'vitest';
import { readLocalHosts } from '../../../src/adapters/registry/local-hosts.ts';

describe('readLocalHosts', () => {
  it('allows none by default', () => {
    const hosts = readLocalHosts(false);
    expect([hosts.isLocal('localhost:5000'), hosts.speaksPlainHttp('localhost:5000')]).toEqual([false, false]);
  });

  it('allows all addresses when true, and plain http on loopback only', () => {
    const hosts = readLocalHosts(true);
    expect(hosts.isLocal('registry.internal')).toBe(true);
    expect(['localhost:5000', '127.0.0.1:5000', '[::1]:5000', 'localhost'].every(hosts.speaksPlainHttp)).toBe(true);
    expect(
      ['registry.internal', '10.0.0.1:5000', 'localhost.evil.com', '127.0.0.1.evil.com'].some(hosts.speaksPlainHttp),
    ).toBe(false);
  });

  it('allows exactly the listed hosts and ports, and plain http as the list says', () => {
    const hosts = readLocalHosts(['Registry.Internal', 'http://10.0.0.5:5000', '127.0.0.1:5000', 'https://other:1/']);
    expect(['registry.internal', '10.0.0.5:5000', '127.0.0.1:5000', 'other:1'].every(hosts.isLocal)).toBe(true);
    expect(['registry.internal:444', '10.0.0.5', '127.0.0.1:5001', 'localhost:5000'].some(hosts.isLocal)).toBe(false);
    expect(['10.0.0.5:5000', '127.0.0.1:5000'].every(hosts.speaksPlainHttp)).toBe(true);
    expect(['registry.internal', 'other:1', '127.0.0.1:5001'].some(hosts.speaksPlainHttp)).toBe(false);
  });
});
