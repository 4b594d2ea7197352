import { z } from 'zod';
import { cleanRelative, filePath, mountablePath, volumePath } from './file-paths.ts';
import {
  ABSOLUTE_PATTERN,
  Host,
  int,
  intOrUnset,
  Name,
  orEmpty,
  plainText,
  RELATIVE_PATTERN,
  StorageClass,
  textOrUnset,
  wordOrUnset,
} from './schema-parts.ts';
import { SecretRefFile } from './schema-secrets.ts';

const LARGEST_GIB = 200;
const FILE_BYTES = 64 * 1024;
const MOUNT_TEXT =
  'must be a clean absolute path of at most 200 characters, not / and not in or over /proc, /sys, /dev, /etc or /var/run/secrets';

/** What editors are told of an absolute path. */
const ABSOLUTE = { pattern: ABSOLUTE_PATTERN, maxLength: 200 };

const MountPath = z.string().refine(mountablePath, MOUNT_TEXT).meta(ABSOLUTE);

/** A named volume (facts 1.10). */
export const NamedVolumeFile = z.strictObject({
  size_gib: int(1, LARGEST_GIB),
  storage_class: StorageClass.optional(),
  access_mode: wordOrUnset('ReadWriteOnce', 'ReadWriteMany').optional(),
});

/** The volume of one service; says nothing when all of it is empty. */
export const VolumeFile = z.strictObject({
  mount_path: textOrUnset(
    volumePath,
    'must be a clean absolute path of at most 200 characters, not / and not in /proc, /sys, /dev, /etc, /run or /var/run',
    { pattern: orEmpty(ABSOLUTE_PATTERN), maxLength: 200 },
  ).optional(),
  size_gib: intOrUnset(1, LARGEST_GIB).optional(),
  storage_class: StorageClass.optional(),
});

export const MountFile = z.strictObject({
  volume: Name,
  mount_path: MountPath,
  read_only: z.boolean().optional(),
  sub_path: textOrUnset(
    (path) => cleanRelative(path),
    'must be a clean relative path of at most 200 characters without . and ..',
    { pattern: orEmpty(RELATIVE_PATTERN), maxLength: 200 },
  ).optional(),
});

export const TemporaryMountFile = z.strictObject({
  mount_path: MountPath,
  size_mib: int(1, 128),
  memory: z.boolean().optional(),
});

/** Facts 1.15. */
export const CertificateMountFile = z.strictObject({
  certificate: textOrUnset(
    (name) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) && !name.startsWith('hp-auto-cert-'),
    'must be the name of an uploaded certificate',
    { pattern: '^$|^(?!hp-auto-cert-)[a-z0-9-]{1,63}$' },
  ).optional(),
  source: wordOrUnset('ingress').optional(),
  hostname: Host,
  mount_path: MountPath,
});

/** Facts 1.11. Modes are numbers as Kubernetes takes them: 0444 and 0440. */
export const FileMountFile = z.strictObject({
  mount_path: z
    .string()
    .refine(
      filePath,
      'must be a clean absolute path of at most 200 characters, not / or /etc, and not in or over /proc, /sys, /dev, /run/secrets or /var/run/secrets',
    )
    .meta(ABSOLUTE),
  content: plainText(FILE_BYTES).optional(),
  secret: SecretRefFile.optional(),
  mode: z
    .int()
    .refine((mode) => mode === 0 || mode === 292 || mode === 288, 'must be 292 (0444) or 288 (0440)')
    .meta({ enum: [292, 288, 0] })
    .optional(),
});
