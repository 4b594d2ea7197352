import { describe, expect, it } from 'vitest';
import { checkPlatforms, parseConfig, parseManifest } from '../../../src/adapters/registry/manifest.ts';

const config = `sha256:${'a'.repeat(64)}`;
function read(value: unknown) {
  return parseManifest(Buffer.from(JSON.stringify(value)));
}

describe('parseManifest', () => {
  it('reads an index, with entries that name no platform', () => {
    const platform = { os: 'linux', architecture: 'arm64', variant: 'v8' };
    const index = read({ schemaVersion: 2, manifests: [{ digest: config, platform }, { digest: config }] });
    expect(index).toEqual({ ok: true, value: { kind: 'index', platforms: [{ os: 'linux', architecture: 'arm64' }] } });
  });
  it('reads a manifest', () => {
    expect(read({ config: { digest: config }, layers: [] })).toEqual({ ok: true, value: { kind: 'manifest', config } });
  });
  it.each([
    [{ schemaVersion: 1, fsLayers: [], history: [] }],
    [{ config: { digest: 'sha256:../../etc' } }],
    [{ manifests: 'x' }],
    [null],
    ['text'],
  ])('refuses %j', (value) => expect(read(value)).toMatchObject({ problem: { code: 'invalid_image' } }));
  it('refuses what is no JSON', () => {
    expect(parseManifest(Buffer.from('<html>'))).toMatchObject({ problem: { code: 'invalid_image' } });
  });
});

it('reads the platform of a configuration, and none of something else', () => {
  expect(parseConfig(Buffer.from('{"os":"linux","architecture":"amd64"}'))).toEqual({
    os: 'linux',
    architecture: 'amd64',
  });
  expect(parseConfig(Buffer.from('{"name":"chart"}'))).toBeUndefined();
});

describe('checkPlatforms', () => {
  const [amd, arm, windows] = ['amd64', 'arm64', 'amd64'].map((architecture, i) => ({
    os: i === 2 ? 'windows' : 'linux',
    architecture,
  }));
  it.each([
    [[amd!], [], true],
    [[amd!, arm!], ['amd64', 'arm64'], true],
    [[amd!], ['amd64', 'arm64'], false],
    [[windows!], [], false],
    [[windows!, arm!], ['amd64'], false],
    [[], [], false],
    // Attestations stand in an index as images of no platform.
    [[amd!, { os: 'unknown', architecture: 'unknown' }], ['amd64'], true],
    [[{ os: 'unknown', architecture: 'unknown' }], [], false],
    [[amd!, { os: 'unknown', architecture: 'arm64' }], ['amd64', 'arm64'], false],
  ])('%j for %j: %s', (platforms, architectures, fits) => {
    expect(checkPlatforms(platforms, architectures).ok).toBe(fits);
  });
});
