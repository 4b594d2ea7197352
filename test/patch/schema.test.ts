import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FIELD_TABLE, type FieldType } from '../../src/patch/index.ts';
import { FIELDS } from '../../src/patch/schema/fields.ts';
import { run } from '../cluster/rig/cache.ts';
import { oracleBinary } from './oracle.ts';

const binary = await oracleBinary();

/** The version a Go module of ours builds from. */
function versionIn(folder: string, module: string): string | undefined {
  const text = readFileSync(new URL(`../${folder}/go.mod`, import.meta.url), 'utf8');
  return new RegExp(`^\\t${module.replaceAll('.', '\\.')} (v[\\d.]+)`, 'm').exec(text)?.[1];
}

function namesIn(type: FieldType): readonly string[] {
  if ('scalar' in type) return [];
  if ('ref' in type) return [type.ref];
  return namesIn('list' in type ? type.list : type.map);
}

describe('the table of fields', () => {
  it.skipIf(binary === undefined)("is what Kubernetes' types say", async () => {
    expect(await run(binary!, ['schema'])).toBe(FIELDS.slice(1));
  });

  it('is of the version that the test cluster and kubectl are built from', () => {
    const versions = [
      versionIn('cluster/rig', 'k8s.io/api'),
      versionIn('patch/oracle', 'k8s.io/api'),
      versionIn('patch/oracle', 'k8s.io/apimachinery'),
      versionIn('patch/oracle', 'k8s.io/kubectl'),
    ];
    expect(versions).toEqual(versions.map(() => FIELD_TABLE.version));
  });

  it('has every type it names, and no other', () => {
    const fields = Object.values(FIELD_TABLE.types).flatMap((type) => Object.values(type));
    const named = [...Object.values(FIELD_TABLE.kinds), ...fields.flatMap(({ type }) => namesIn(type))];
    expect([...new Set(named)].sort()).toEqual(Object.keys(FIELD_TABLE.types).sort());
  });

  it.each([
    ['DeploymentSpec', 'strategy', { type: { ref: 'DeploymentStrategy' }, strategy: ['retainKeys'] }],
    ['PodSpec', 'volumes', { type: { list: { ref: 'Volume' } }, mergeKey: 'name', strategy: ['merge', 'retainKeys'] }],
    ['PodSpec', 'tolerations', { type: { list: { ref: 'Toleration' } } }],
    ['PodSpec', 'nodeSelector', { type: { map: { scalar: 'string' } } }],
    ['ServiceSpec', 'ports', { type: { list: { ref: 'ServicePort' } }, mergeKey: 'port', strategy: ['merge'] }],
    ['ObjectMeta', 'finalizers', { type: { list: { scalar: 'string' } }, strategy: ['merge'] }],
    ['HTTPGetAction', 'port', { type: { scalar: 'int-or-string' } }],
    ['ResourceRequirements', 'limits', { type: { map: { scalar: 'quantity' } } }],
    // Of a structure that Go embeds without a name.
    ['Volume', 'emptyDir', { type: { ref: 'EmptyDirVolumeSource' } }],
  ])('knows %s.%s', (type, field, expected) => {
    expect(FIELD_TABLE.types[type]?.[field]).toEqual(expected);
  });
});
