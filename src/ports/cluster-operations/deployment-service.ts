import { isIP } from 'node:net';
import { z } from 'zod';
import { EnvName, EnvValue, envBytes, Image } from './environment.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { Digest, isPlainText, Label, ServiceName, Subdomain } from './words.ts';

/** One service of a deployment request, and the claims of its target (cluster operations 0.2). */

const Pull = z
  .strictObject({
    /** Host, path and digest; no tag. */
    reference: Image,
    digest: Digest,
  })
  .refine(({ reference, digest }) => {
    const [name = '', found] = reference.split('@');
    const slash = name.indexOf('/');
    const host = name.slice(0, Math.max(slash, 0));
    const hasHost = host === 'localhost' || /[.:]/.test(host);
    return hasHost && found === digest && !name.slice(slash).includes(':');
  });

const PortNumber = z.int().min(1).max(65535);
const Port = z.strictObject({ protocol: z.enum(['tcp', 'udp']), published: PortNumber, target: PortNumber });

/** Absolute, clean, not the root, without characters nobody sees. */
function isMountPath(path: string): boolean {
  const parts = path.split('/');
  return (
    isPlainText(path, OPERATION_LIMITS.mountPathBytes) &&
    parts.length > 1 &&
    parts[0] === '' &&
    parts.slice(1).every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)
  );
}

const Mount = z.strictObject({
  claim: Label,
  path: z.string().refine(isMountPath),
  readOnly: z.boolean().optional(),
});

/** True for an address of one host in its shortest form. */
export function isCanonicalUnicast(text: string): boolean {
  if (isIP(text) === 4) {
    const first = Number(text.split('.')[0]);
    return first > 0 && first < 224;
  }
  if (isIP(text) !== 6 || text.includes('%') || text === '::' || /^ff/i.test(text)) return false;
  return new URL(`http://[${text}]`).hostname === `[${text}]`;
}

function unique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

const Env = z
  .record(EnvName, EnvValue)
  .refine((env) => Object.keys(env).length <= OPERATION_LIMITS.envEntries)
  .refine(
    (env) => envBytes(Object.entries(env).map(([name, value]) => ({ name, value }))) <= OPERATION_LIMITS.envBytes,
  );

export const Service = z
  .strictObject({
    name: ServiceName,
    image: Pull,
    /** Both words mean what every pod of a Deployment does. */
    restart: z.enum(['', 'always', 'unless-stopped']).optional(),
    ports: z.array(Port).max(OPERATION_LIMITS.ports),
    env: Env,
    /** Keys of `env` kept in the Secret; strictly ascending. */
    secretKeys: z.array(EnvName),
    clusterIP: z.string().refine(isCanonicalUnicast).optional(),
    mounts: z.array(Mount).max(OPERATION_LIMITS.mounts),
  })
  .refine(({ ports }) => unique(ports.map((port) => `${port.protocol}/${port.published}`)), { path: ['ports'] })
  .refine(({ env, secretKeys }) => secretKeys.every((key) => Object.hasOwn(env, key)), { path: ['secretKeys'] })
  .refine(({ secretKeys }) => secretKeys.every((key, i) => i === 0 || (secretKeys[i - 1] ?? '') < key), {
    path: ['secretKeys'],
  })
  .refine(({ clusterIP, ports }) => clusterIP === undefined || ports.length > 0, { path: ['clusterIP'] })
  .refine(({ mounts }) => unique(mounts.map((mount) => mount.path)), { path: ['mounts'] });

const Claim = z.strictObject({
  name: Label,
  /** Absent or empty: the cluster's default. */
  class: Subdomain.or(z.literal('')).optional(),
  /** 1Mi to 16Ti, a whole number with Mi, Gi or Ti. */
  size: z
    .string()
    .regex(/^[1-9]\d{0,5}(Mi|Gi|Ti)$/)
    .refine((size) => mebibytes(size) <= 16 * 1024 * 1024),
  accessMode: z.literal('ReadWriteOnce'),
});

const UNIT: Readonly<Record<string, number>> = { Mi: 1, Gi: 1024, Ti: 1024 * 1024 };

function mebibytes(size: string): number {
  return Number(size.slice(0, -2)) * (UNIT[size.slice(-2)] ?? Number.POSITIVE_INFINITY);
}

export const Claims = z
  .array(Claim)
  .max(OPERATION_LIMITS.claims)
  .refine((claims) => unique(claims.map((claim) => claim.name)));
