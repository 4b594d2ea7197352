import { overlap } from './file-paths.ts';
import type { Finding, Path } from './path.ts';
import { at, type Rule, rule, type Subject, when } from './rule.ts';
import { saysNothing } from './sorted.ts';

const SLOTS = 16;
const TEMPORARY_MIB = 128;
const CONTENT_BYTES = 128 * 1024;
const INVOCATION_FOLDER = '/run/hakopod/invocation';

/** Rules about volumes, mounts and files of one service (facts 1.10, 1.11, 1.15). */
export const STORAGE_RULES: readonly Rule[] = [
  rule(['volume'], volume),
  rule(['volume', 'mounts', 'replicas', 'autoscaling', 'job', 'serverless', 'session'], replicas),
  rule(['mounts', 'temporary_mounts', 'certificate_mounts', 'files', 'job'], slots),
  rule(['volume', 'mounts', 'temporary_mounts', 'certificate_mounts', 'files'], overlaps),
  rule(['job', 'temporary_mounts', 'certificate_mounts', 'files'], invocationFolder),
  rule(['temporary_mounts'], ({ service }) => {
    const total = service.temporary_mounts.reduce((sum, { size_mib }) => sum + size_mib, 0);
    return when(total > TEMPORARY_MIB, ['temporary_mounts'], `must be at most ${TEMPORARY_MIB} MiB together`);
  }),
  rule(['certificate_mounts', 'public'], certificateMounts),
  rule(['files'], files),
];

/** Part of a volume table is no volume. */
function volume({ service }: Subject): readonly Finding[] {
  const own = service.volume;
  if (own === undefined) return [];
  return [
    ...when(own.mount_path === '', ['volume', 'mount_path'], 'is required'),
    ...when(own.size_gib === 0, ['volume', 'size_gib'], 'is required'),
  ];
}

/** What keeps data runs once. Autoscaling has a finding of its own, and so have jobs, serverless services and sessions. */
function replicas({ service }: Subject): readonly Finding[] {
  if (service.volume === undefined && service.mounts.length === 0) return [];
  if (service.autoscaling !== undefined || service.job !== undefined) return [];
  if (service.serverless !== undefined || service.session !== undefined) return [];
  return when(service.replicas !== 1, ['replicas'], 'must be 1 on a service with volumes');
}

function slots({ service, file }: Subject): readonly Finding[] {
  const { mounts = [], temporary_mounts = [], certificate_mounts = [], files = {} } = file;
  const count = mounts.length + temporary_mounts.length + certificate_mounts.length + Object.keys(files).length;
  const max = service.job?.invocation === undefined ? SLOTS : SLOTS - 1;
  const field = mounts.length > 0 ? 'mounts' : Object.keys(files).length > 0 ? 'files' : 'temporary_mounts';
  return when(count > max, [field], `the service must have at most ${max} mounts and files together`);
}

type Place = { readonly path: Path; readonly folder: string };

/** Every place of a service where something is mounted, in the order of the fields. */
function places({ file }: Pick<Subject, 'file'>): readonly Place[] {
  const lists = ['mounts', 'temporary_mounts', 'certificate_mounts'] as const;
  return [
    ...(file.volume?.mount_path ? [{ path: ['volume', 'mount_path'], folder: file.volume.mount_path }] : []),
    ...lists.flatMap((field) =>
      (file[field] ?? []).map(({ mount_path }, i) => ({ path: [field, i, 'mount_path'], folder: mount_path })),
    ),
    ...Object.entries(file.files ?? {}).map(([name, { mount_path }]) => ({
      path: ['files', name, 'mount_path'],
      folder: mount_path,
    })),
  ];
}

function overlaps({ file }: Subject): readonly Finding[] {
  const all = places({ file });
  return all.flatMap(({ path, folder }, i) =>
    when(
      all.slice(0, i).some((other) => overlap(folder, other.folder)),
      path,
      'is the same as, in or over another mount of the service',
    ),
  );
}

/** Facts 1.9: where the input of a job that people start is. */
function invocationFolder({ service, file }: Subject): readonly Finding[] {
  if (service.job?.invocation === undefined) return [];
  return places({ file })
    .filter(({ folder }) => overlap(folder, INVOCATION_FOLDER))
    .flatMap(({ path }) => at(path, 'is where the input of the job is'));
}

/** Facts 1.15. */
function certificateMounts({ service, file }: Subject): readonly Finding[] {
  const seen = new Set<string>();
  return (file.certificate_mounts ?? []).flatMap(({ certificate, source, hostname }, i) => {
    const path = ['certificate_mounts', i];
    if (Boolean(certificate) === Boolean(source)) {
      return at([...path, 'certificate'], 'is required, or source, and they exclude each other');
    }
    const reference = certificate ? `certificate ${certificate}` : `ingress ${hostname}`;
    const twice = seen.has(reference);
    seen.add(reference);
    return [
      ...when(source === 'ingress' && !service.public, [...path, 'source'], 'needs a public service'),
      ...when(twice, [...path, certificate ? 'certificate' : 'hostname'], 'is mounted twice'),
    ];
  });
}

/** Facts 1.11. */
function files({ file }: Subject): readonly Finding[] {
  let bytes = 0;
  return Object.entries(file.files ?? {}).flatMap(([name, { content, secret }]) => {
    const hasSecret = secret !== undefined && !saysNothing(secret);
    if (content === undefined && !hasSecret) return at(['files', name], 'needs content or a secret');
    if (content && hasSecret) return at(['files', name, 'secret'], 'excludes content');
    const before = bytes;
    bytes += Buffer.byteLength(content ?? '');
    return when(
      before <= CONTENT_BYTES && bytes > CONTENT_BYTES,
      ['files', name, 'content'],
      `the contents of all files of a service must be at most ${CONTENT_BYTES} bytes together`,
    );
  });
}
