import type { Violation } from '../../src/adapters/kubernetes/operations/baseline.ts';

const context = (securityContext: object): object => ({ spec: { securityContext } });
const container = (fields: object, list = 'containers'): object => ({ spec: { [list]: [{ name: 'web', ...fields }] } });
const inContainer = (securityContext: object): object => container({ securityContext });
const annotated = (key: string, value: string): object => ({ metadata: { annotations: { [key]: value } } });
const added = (...add: readonly string[]): object => inContainer({ capabilities: { add } });
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/web';

/** A pod's overrides, the control they violate and what they are. */
export const VIOLATIONS: readonly (readonly [Violation, string, object])[] = [
  ['host_namespace', 'the network of the host', { spec: { hostNetwork: true } }],
  ['host_namespace', 'the processes of the host', { spec: { hostPID: true } }],
  ['host_namespace', 'the IPC of the host', { spec: { hostIPC: true } }],
  [
    'host_path',
    'a path of the host',
    {
      spec: {
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', hostPath: { path: '/' } },
        ],
      },
    },
  ],
  ['apparmor', 'an annotation without AppArmor', annotated(APPARMOR, 'unconfined')],
  [
    'seccomp',
    'an annotation of the pod without seccomp',
    annotated('seccomp.security.alpha.kubernetes.io/pod', 'unconfined'),
  ],
  [
    'seccomp',
    'an annotation of a container without seccomp',
    annotated('container.seccomp.security.alpha.kubernetes.io/web', 'unconfined'),
  ],
  ['sysctl', 'a sysctl that is not safe', context({ sysctls: [{ name: 'kernel.msgmax', value: '1' }] })],
  ['host_port', 'a port of the host', container({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  ['privileged', 'a privileged container', inContainer({ privileged: true })],
  ['privileged', 'a privileged init container', container({ securityContext: { privileged: true } }, 'initContainers')],
  [
    'privileged',
    'a privileged debug container',
    container({ securityContext: { privileged: true } }, 'ephemeralContainers'),
  ],
  ['capabilities', 'NET_ADMIN', added('CHOWN', 'NET_ADMIN')],
  ['capabilities', 'all capabilities', added('ALL')],
  ['proc_mount', 'an unmasked /proc', inContainer({ procMount: 'Unmasked' })],
  ['seccomp', 'a pod without seccomp', context({ seccompProfile: { type: 'Unconfined' } })],
  ['seccomp', 'a container without seccomp', inContainer({ seccompProfile: { type: 'Unconfined' } })],
  ['apparmor', 'a pod without AppArmor', context({ appArmorProfile: { type: 'Unconfined' } })],
  ['apparmor', 'a container without AppArmor', inContainer({ appArmorProfile: { type: 'Unconfined' } })],
  ['selinux', 'a user of SELinux', context({ seLinuxOptions: { user: 'system_u' } })],
  ['selinux', 'a role of SELinux', inContainer({ seLinuxOptions: { role: 'sysadm_r' } })],
  ['selinux', 'another type of SELinux', inContainer({ seLinuxOptions: { type: 'spc_t' } })],
  ['host_process', 'a process of a Windows host', context({ windowsOptions: { hostProcess: true } })],
  ['host_process', 'a container of a Windows host', inContainer({ windowsOptions: { hostProcess: true } })],
];

/** What looks close to a violation and is none. */
export const HARMLESS: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['no port of the host', container({ ports: [{ containerPort: 80, hostPort: 0 }] })],
  ['capabilities that are allowed', added('CHOWN', 'KILL', 'NET_BIND_SERVICE', 'SETUID', 'MKNOD', 'AUDIT_WRITE')],
  ['dropped capabilities', inContainer({ capabilities: { drop: ['ALL'] } })],
  [
    'safe sysctls',
    context({ sysctls: [{ name: 'net.ipv4.tcp_syncookies' }, { name: 'net.ipv4.tcp_keepalive_probes' }] }),
  ],
  ['the default /proc', inContainer({ procMount: 'Default', privileged: false })],
  [
    'a type of containers',
    inContainer({ seLinuxOptions: { type: 'container_kvm_t', level: 's0', user: '', role: '' } }),
  ],
  [
    'its own profiles',
    context({
      seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' },
      appArmorProfile: { type: 'RuntimeDefault' },
    }),
  ],
  ['the default profile by annotation', annotated(APPARMOR, 'runtime/default')],
  ['a local profile by annotation', annotated(APPARMOR, 'localhost/web')],
  ['an empty profile by annotation', annotated(APPARMOR, '')],
  ['a default seccomp by annotation', annotated('seccomp.security.alpha.kubernetes.io/pod', 'runtime/default')],
  ['the users of a host off', { spec: { hostNetwork: false, hostPID: false, hostIPC: false } }],
];
