import { describe, expect, it } from 'vitest';
import { DEFAULT_RENDER_OPTIONS, jobName, namespaceName, publicUrl } from '../../src/render/index.ts';
import { ID } from './fixture.ts';

describe('names', () => {
  it('fit Kubernetes for the longest service name', () => {
    expect(namespaceName(ID)).toHaveLength(35);
    const longest = 'a'.repeat(40);
    expect(jobName(longest).length).toBeLessThanOrEqual(63);
    expect(`${longest}-environment-${'0'.repeat(16)}`.length).toBeLessThanOrEqual(253);
    expect(`${longest}-${ID.slice(0, 12)}`.length).toBeLessThanOrEqual(63);
  });

  it.each([
    [{}, undefined],
    [{ appDomain: 'apps.example.com' }, 'http://web-0123456789ab.apps.example.com'],
    [{ appDomain: 'apps.example.com', publicPort: 80 }, 'http://web-0123456789ab.apps.example.com'],
    [{ appDomain: 'apps.example.com', publicPort: 8080 }, 'http://web-0123456789ab.apps.example.com:8080'],
    [{ appDomain: 'apps.example.com', tlsIssuer: 'x', publicPort: 443 }, 'https://web-0123456789ab.apps.example.com'],
    [
      { appDomain: 'apps.example.com', tlsIssuer: 'x', publicPort: 8443 },
      'https://web-0123456789ab.apps.example.com:8443',
    ],
  ])('make the public URL of %j', (options, url) => {
    expect(publicUrl('web', ID, { ...DEFAULT_RENDER_OPTIONS, ...options })).toBe(url);
  });
});
