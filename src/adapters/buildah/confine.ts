/**
 * What runs before buildah inside the new namespaces. `--isolation chroot` gives a build step the worker's own /dev, so a small one is put
 * in its place first (else a step could read the node's disks); /run/secrets, where a pod has its service account's token, is covered. A
 * constant: its arguments are the folder for the new /dev and the command to become.
 */
const SCRIPT = `set -eu
dev=$1
shift
mount -t tmpfs -o mode=755,nosuid,noexec,size=64k dev "$dev"
for node in null zero full random urandom tty; do
  : >"$dev/$node"
  mount --bind "/dev/$node" "$dev/$node"
done
mkdir "$dev/shm" "$dev/pts" "$dev/mqueue"
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec,size=64m shm "$dev/shm"
ln -s /proc/self/fd "$dev/fd"
ln -s fd/0 "$dev/stdin"
ln -s fd/1 "$dev/stdout"
ln -s fd/2 "$dev/stderr"
mount --rbind "$dev" /dev
if [ -d /run/secrets ]; then mount -t tmpfs -o mode=555,size=4k secrets /run/secrets; fi
exec "$@"`;

/** Whether we are root or need a user namespace to be it. */
export type Confinement = { readonly userNamespace: boolean };

/**
 * Flags of unshare(1). The user namespace maps our subordinate ids (subuid(5)) as well: with one id alone a build step could not even
 * set its groups.
 */
export function namespaceFlags({ userNamespace }: Confinement): readonly string[] {
  const user = userNamespace ? ['--user', '--map-root-user', '--map-auto'] : [];
  return [...user, '--fork', '--pid', '--mount-proc', '--kill-child'];
}

/**
 * The argument vector that runs `command` confined: it ends when this process ends (`--pdeathsig`), it is the first process of a process
 * namespace, so that whatever it started ends with it, and it sees only its own processes in /proc.
 */
export function confined(
  command: readonly string[],
  options: { readonly confinement: Confinement; readonly dev: string; readonly network: 'host' | 'none' },
): readonly [string, ...string[]] {
  return [
    'setpriv',
    '--pdeathsig',
    'KILL',
    '--',
    'unshare',
    ...namespaceFlags(options.confinement),
    ...(options.network === 'none' ? ['--net'] : []),
    'sh',
    '-c',
    SCRIPT,
    'confine',
    options.dev,
    ...command,
  ];
}
