import { at, type Fields, records, strings, text } from '../../../kernel/index.ts';

/** The control of the Pod Security level `baseline` that a pod violates. For the log; never shown. */
export type Violation =
  | 'host_namespace'
  | 'host_path'
  | 'apparmor'
  | 'seccomp'
  | 'sysctl'
  | 'host_port'
  | 'privileged'
  | 'capabilities'
  | 'proc_mount'
  | 'selinux'
  | 'host_process';

const CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

const SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
]);

const SELINUX_TYPES: ReadonlySet<string> = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);

const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';

/**
 * The first control of Pod Security `baseline` a pod violates, or undefined when it meets them all. A pod is judged by itself, as it may
 * be older than its namespace's label (cluster operations 10; the controls are those of the Kubernetes Pod Security Standards).
 */
export function baselineViolation(pod: unknown): Violation | undefined {
  const spec = at(pod, 'spec');
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => records(at(spec, list)));
  if (['hostNetwork', 'hostPID', 'hostIPC'].some((field) => at(spec, field) === true)) return 'host_namespace';
  if (records(at(spec, 'volumes')).some((volume) => isSet(volume.hostPath))) return 'host_path';
  return (
    annotationViolation(at(pod, 'metadata', 'annotations')) ??
    podViolation(at(spec, 'securityContext')) ??
    first(containers, containerViolation)
  );
}

function first<T>(items: readonly T[], judge: (item: T) => Violation | undefined): Violation | undefined {
  for (const item of items) {
    const found = judge(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The annotations that meant AppArmor and seccomp before they were fields. */
function annotationViolation(annotations: unknown): Violation | undefined {
  if (typeof annotations !== 'object' || annotations === null) return undefined;
  const entries = Object.entries(annotations as Fields);
  const profileIsOpen = ([key, value]: readonly [string, unknown]): boolean =>
    key.startsWith(APPARMOR_ANNOTATION) &&
    !(value === '' || value === 'runtime/default' || (typeof value === 'string' && value.startsWith('localhost/')));
  if (entries.some(profileIsOpen)) return 'apparmor';
  const isUnconfined = ([key, value]: readonly [string, unknown]): boolean =>
    (key === SECCOMP_POD_ANNOTATION || key.startsWith(SECCOMP_ANNOTATION)) && value === 'unconfined';
  return entries.some(isUnconfined) ? 'seccomp' : undefined;
}

function podViolation(context: unknown): Violation | undefined {
  const isUnsafe = ({ name }: Fields): boolean => !SYSCTLS.has(text(name) ?? '');
  return records(at(context, 'sysctls')).some(isUnsafe) ? 'sysctl' : sharedViolation(context);
}

function containerViolation(container: Fields): Violation | undefined {
  const context = container.securityContext;
  const takesHostPort = ({ hostPort }: Fields): boolean => isSet(hostPort) && hostPort !== 0;
  if (records(container.ports).some(takesHostPort)) return 'host_port';
  if (at(context, 'privileged') === true) return 'privileged';
  const added = strings(at(context, 'capabilities', 'add'));
  if (added.some((capability) => !CAPABILITIES.has(capability))) return 'capabilities';
  const procMount = at(context, 'procMount');
  if (isSet(procMount) && procMount !== 'Default') return 'proc_mount';
  return sharedViolation(context);
}

/** What pods and containers are both asked. */
function sharedViolation(context: unknown): Violation | undefined {
  if (at(context, 'seccompProfile', 'type') === 'Unconfined') return 'seccomp';
  if (at(context, 'appArmorProfile', 'type') === 'Unconfined') return 'apparmor';
  const linux = at(context, 'seLinuxOptions');
  const isNamed = (value: unknown): boolean => isSet(value) && value !== '';
  if (isNamed(at(linux, 'user')) || isNamed(at(linux, 'role'))) return 'selinux';
  if (!SELINUX_TYPES.has(text(at(linux, 'type')) ?? '')) return 'selinux';
  return at(context, 'windowsOptions', 'hostProcess') === true ? 'host_process' : undefined;
}
