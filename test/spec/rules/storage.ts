import { lines, many, quoted, type RuleCase, service, web } from './rule-case.ts';

const DATA = '[volumes.data]\nsize_gib = 1\n';
const volume = (fields: string): string => web('', `[volumes.data]\n${fields}\n`);
const mount = (fields: string, more = ''): string => web(`mounts = [{ volume = "data", ${fields} }]\n${more}`, DATA);
const legacy = (fields: string): string => web(`volume = { ${fields} }`);

/** Facts 1.10, "allowed mount", and its counterpart for volumes and files. */
const ANYWHERE = ['/data', '/a/b', `/${'a'.repeat(199)}`, '/procedures', '/etcetera', '/srv/etc', '/var/lib'];
const UNCLEAN = ['', 'data', '/', '/data/', '/a//b', '/a/../b', '/a/.', `/${'a'.repeat(200)}`];

const VOLUMES: readonly RuleCase[] = [
  {
    rule: '1.10: size of a named volume',
    accept: [1, 200].map((size) => volume(`size_gib = ${size}`)),
    refuse: [0, 201, -1, 1.5, '"1"'].map((size) => [volume(`size_gib = ${size}`), 'volumes.data.size_gib']),
  },
  {
    rule: '1.10: a named volume has a size',
    accept: [volume('size_gib = 1')],
    refuse: [
      [volume(''), 'volumes.data.size_gib'],
      [web('', '[volumes.Data]\nsize_gib = 1\n'), 'volumes'],
    ],
  },
  {
    rule: '1.10: storage_class',
    accept: ['', 'fast', 'a.b-c.d', 'a'.repeat(253)].map((name) =>
      volume(`size_gib = 1\nstorage_class = ${quoted(name)}`),
    ),
    refuse: ['Fast', 'a_b', '-a', 'a.', 'a..b', 'a'.repeat(254)].map((name) => [
      volume(`size_gib = 1\nstorage_class = ${quoted(name)}`),
      'volumes.data.storage_class',
    ]),
  },
  {
    rule: '1.10: access_mode',
    accept: [
      volume('size_gib = 1\naccess_mode = "ReadWriteOnce"'),
      volume('size_gib = 1\naccess_mode = ""'),
      volume('size_gib = 1\naccess_mode = "ReadWriteMany"\nstorage_class = "nfs"'),
    ],
    refuse: [
      [volume('size_gib = 1\naccess_mode = "ReadOnlyMany"'), 'volumes.data.access_mode'],
      [volume('size_gib = 1\naccess_mode = "ReadWriteMany"'), 'volumes.data'],
    ],
  },
  {
    rule: '1.1: 16 named volumes, 20 with those of services, 200 GiB together',
    accept: [
      web(
        '',
        lines(16, (i) => `[volumes.v${i}]\nsize_gib = 12`),
      ),
      `name = "a"\n${lines(16, (i) => `[volumes.v${i}]\nsize_gib = 10`)}\n${lines(4, (i) =>
        service(`s${i}`, 'volume = { mount_path = "/data", size_gib = 10 }'),
      )}`,
    ],
    refuse: [
      [
        web(
          '',
          lines(17, (i) => `[volumes.v${i}]\nsize_gib = 1`),
        ),
        'volumes',
      ],
      [
        `name = "a"\n${lines(16, (i) => `[volumes.v${i}]\nsize_gib = 1`)}\n${lines(5, (i) =>
          service(`s${i}`, 'volume = { mount_path = "/data", size_gib = 1 }'),
        )}`,
        '',
      ],
      [web('', '[volumes.a]\nsize_gib = 100\n[volumes.b]\nsize_gib = 101\n'), 'volumes'],
      [web('volume = { mount_path = "/data", size_gib = 101 }', '[volumes.a]\nsize_gib = 100\n'), ''],
    ],
  },
  {
    rule: '1.10: the volume of a service',
    accept: [
      legacy('mount_path = "/data", size_gib = 1'),
      legacy('mount_path = "/data", size_gib = 200, storage_class = "fast"'),
      ...ANYWHERE.map((path) => legacy(`mount_path = ${quoted(path)}, size_gib = 1`)),
      web('volume = {}'),
    ],
    refuse: [
      ...['/proc', '/sys/a', '/dev', '/etc', '/etc/a', '/run', '/run/a', '/var/run', '/var/run/a', ...UNCLEAN].map(
        (path) => [legacy(`mount_path = ${quoted(path)}, size_gib = 1`), 'services.web.volume.mount_path'] as const,
      ),
      [legacy('size_gib = 1'), 'services.web.volume.mount_path'],
      [legacy('mount_path = "/data"'), 'services.web.volume.size_gib'],
      [legacy('mount_path = "/data", size_gib = 201'), 'services.web.volume.size_gib'],
      [legacy('mount_path = "/data", size_gib = -1'), 'services.web.volume.size_gib'],
      [legacy('mount_path = "/data", size_gib = 1, storage_class = "A"'), 'services.web.volume.storage_class'],
      [
        `name = "a"\n${service('hakopod-volume-x', 'volume = { mount_path = "/d", size_gib = 1 }')}[volumes.x-data]\nsize_gib = 1\n`,
        '',
      ],
    ],
  },
  {
    rule: '1.10: what keeps data runs once',
    accept: [mount('mount_path = "/data"', 'replicas = 1'), legacy('mount_path = "/data", size_gib = 1')],
    refuse: [
      [mount('mount_path = "/data"', 'replicas = 2'), 'services.web'],
      [web('volume = { mount_path = "/data", size_gib = 1 }\nreplicas = 2'), 'services.web'],
    ],
  },
];

const MOUNTS: readonly RuleCase[] = [
  {
    rule: '1.10: mounts',
    accept: [
      mount('mount_path = "/data"'),
      mount('mount_path = "/data", read_only = true'),
      ...['', 'a', 'a/b', 'a'.repeat(200)].map((path) => mount(`mount_path = "/data", sub_path = ${quoted(path)}`)),
      ...['/run/a', '/var/run/app', ...ANYWHERE].map((path) => mount(`mount_path = ${quoted(path)}`)),
    ],
    refuse: [
      ...[
        '/proc',
        '/proc/a',
        '/sys',
        '/dev',
        '/etc',
        '/etc/a',
        '/var/run/secrets',
        '/var/run/secrets/a',
        '/var/run',
        '/var',
        ...UNCLEAN,
      ].map((path) => [mount(`mount_path = ${quoted(path)}`), 'services.web.mounts[0].mount_path'] as const),
      ...['/a', '.', '..', '../a', 'a/../b', 'a//b', 'a/', 'a'.repeat(201)].map(
        (path) =>
          [mount(`mount_path = "/data", sub_path = ${quoted(path)}`), 'services.web.mounts[0].sub_path'] as const,
      ),
      [mount('mount_path = "/data", read_only = 1'), 'services.web.mounts[0].read_only'],
      [mount(''.concat('read_only = true')), 'services.web.mounts[0].mount_path'],
      [web('mounts = [{ volume = "other", mount_path = "/data" }]', DATA), 'services.web.mounts[0].volume'],
      [web('mounts = [{ mount_path = "/data" }]', DATA), 'services.web.mounts[0].volume'],
      [web('mounts = { volume = "data" }', DATA), 'services.web.mounts'],
    ],
  },
  {
    rule: '1.10: temporary mounts',
    accept: [
      web('temporary_mounts = [{ mount_path = "/tmp", size_mib = 1 }]'),
      web('temporary_mounts = [{ mount_path = "/tmp", size_mib = 128, memory = true }]'),
      web('temporary_mounts = [{ mount_path = "/a", size_mib = 64 }, { mount_path = "/b", size_mib = 64 }]'),
      web('temporary_mounts = []'),
    ],
    refuse: [
      [web('temporary_mounts = [{ mount_path = "/tmp", size_mib = 0 }]'), 'services.web.temporary_mounts[0].size_mib'],
      [web('temporary_mounts = [{ mount_path = "/tmp", size_mib = 129 }]'), 'services.web.temporary_mounts'],
      [web('temporary_mounts = [{ mount_path = "/tmp" }]'), 'services.web.temporary_mounts[0].size_mib'],
      [
        web('temporary_mounts = [{ mount_path = "/a", size_mib = 64 }, { mount_path = "/b", size_mib = 65 }]'),
        'services.web.temporary_mounts',
      ],
      [
        web('temporary_mounts = [{ mount_path = "/etc", size_mib = 1 }]'),
        'services.web.temporary_mounts[0].mount_path',
      ],
      [
        web('temporary_mounts = [{ mount_path = "/tmp", size_mib = 1, memory = "yes" }]'),
        'services.web.temporary_mounts[0].memory',
      ],
    ],
  },
  {
    rule: '1.15: certificate mounts',
    accept: [
      web('certificate_mounts = [{ certificate = "a", hostname = "a.b", mount_path = "/tls" }]'),
      web(
        'port = 80\npublic = true\ncertificate_mounts = [{ source = "ingress", hostname = "a.b", mount_path = "/tls" }]',
      ),
      web(
        `certificate_mounts = [${many(4, (i) => `{ certificate = "a${i}", hostname = "a.b", mount_path = "/tls${i}" }`)}]`,
      ),
    ],
    refuse: [
      [
        web(
          `certificate_mounts = [${many(5, (i) => `{ certificate = "a${i}", hostname = "a.b", mount_path = "/tls${i}" }`)}]`,
        ),
        'services.web.certificate_mounts',
      ],
      ...[
        ['hostname = "a.b", mount_path = "/tls"', ''],
        ['certificate = "a", source = "ingress", hostname = "a.b", mount_path = "/tls"', ''],
        ['certificate = "hp-auto-cert-a", hostname = "a.b", mount_path = "/tls"', '.certificate'],
        ['certificate = "A", hostname = "a.b", mount_path = "/tls"', '.certificate'],
        ['source = "other", hostname = "a.b", mount_path = "/tls"', '.source'],
        ['source = "ingress", hostname = "a.b", mount_path = "/tls"', ''],
        ['certificate = "a", hostname = "a", mount_path = "/tls"', '.hostname'],
        ['certificate = "a", mount_path = "/tls"', '.hostname'],
        ['certificate = "a", hostname = "a.b", mount_path = "/etc/tls"', '.mount_path'],
        ['certificate = "a", hostname = "a.b"', '.mount_path'],
      ].map(
        ([fields, at]) =>
          [web(`certificate_mounts = [{ ${fields} }]`), `services.web.certificate_mounts[0]${at}`] as const,
      ),
      [
        web(
          'certificate_mounts = [{ certificate = "a", hostname = "a.b", mount_path = "/x" }, { certificate = "a", hostname = "a.b", mount_path = "/y" }]',
        ),
        'services.web.certificate_mounts[1]',
      ],
    ],
  },
  {
    rule: '1.10: no place in another',
    accept: [
      web(
        'volume = { mount_path = "/a", size_gib = 1 }\nmounts = [{ volume = "data", mount_path = "/ab" }]\ntemporary_mounts = [{ mount_path = "/b", size_mib = 1 }]\nfiles = { x = { mount_path = "/c/d", content = "a" }, y = { mount_path = "/c/e", content = "a" } }',
        DATA,
      ),
    ],
    refuse: [
      'volume = { mount_path = "/a", size_gib = 1 }\nmounts = [{ volume = "data", mount_path = "/a" }]',
      'volume = { mount_path = "/a/b", size_gib = 1 }\nmounts = [{ volume = "data", mount_path = "/a" }]',
      'mounts = [{ volume = "data", mount_path = "/a" }, { volume = "data", mount_path = "/a/b" }]',
      'mounts = [{ volume = "data", mount_path = "/a" }]\ntemporary_mounts = [{ mount_path = "/a", size_mib = 1 }]',
      'temporary_mounts = [{ mount_path = "/a", size_mib = 1 }]\nfiles = { x = { mount_path = "/a/b", content = "a" } }',
      'files = { x = { mount_path = "/a", content = "a" }, y = { mount_path = "/a", content = "b" } }',
      'certificate_mounts = [{ certificate = "a", hostname = "a.b", mount_path = "/a" }]\nfiles = { x = { mount_path = "/a/b", content = "a" } }',
    ].map((fields) => [web(fields, DATA), 'services.web']),
  },
  {
    rule: '1.3: 16 mounts and files',
    accept: [
      web(`mounts = [${many(16, (i) => `{ volume = "data", mount_path = "/a${i}" }`)}]`, DATA),
      web(
        `mounts = [${many(15, (i) => `{ volume = "data", mount_path = "/a${i}" }`)}]\nfiles = { x = { mount_path = "/x", content = "a" } }`,
        DATA,
      ),
    ],
    refuse: [
      [web(`mounts = [${many(17, (i) => `{ volume = "data", mount_path = "/a${i}" }`)}]`, DATA), 'services.web'],
      [
        web(
          `mounts = [${many(16, (i) => `{ volume = "data", mount_path = "/a${i}" }`)}]\nfiles = { x = { mount_path = "/x", content = "a" } }`,
          DATA,
        ),
        'services.web',
      ],
      [
        web(
          `mounts = [${many(15, (i) => `{ volume = "data", mount_path = "/a${i}" }`)}]\ntemporary_mounts = [{ mount_path = "/x", size_mib = 1 }]\ncertificate_mounts = [{ certificate = "a", hostname = "a.b", mount_path = "/y" }]`,
          DATA,
        ),
        'services.web',
      ],
    ],
  },
];

const file = (fields: string): string => web(`files = { x = { ${fields} } }`);
const contents = (sizes: readonly number[]): string =>
  web(`files = { ${sizes.map((size, i) => `x${i} = { mount_path = "/x${i}", content = "${'a'.repeat(size)}" }`)} }`);

const FILES: readonly RuleCase[] = [
  {
    rule: '1.11: where a file may be',
    accept: ['/a', '/etc/a', '/etc/a/b', '/run/a', '/var/run/a', `/${'a'.repeat(199)}`].map((path) =>
      file(`mount_path = ${quoted(path)}, content = "a"`),
    ),
    refuse: [
      ...[
        '/etc',
        '/proc/a',
        '/sys',
        '/dev/a',
        '/var/run/secrets',
        '/var/run/secrets/a',
        '/run/secrets/a',
        '/run/secrets',
        '/run',
        '/var/run',
        '/var',
        ...UNCLEAN,
      ].map(
        (path) => [file(`mount_path = ${quoted(path)}, content = "a"`), 'services.web.files.x.mount_path'] as const,
      ),
      [file('content = "a"'), 'services.web.files.x.mount_path'],
    ],
  },
  {
    rule: '1.11: content or a secret',
    accept: [
      file('mount_path = "/a", content = "a"'),
      file('mount_path = "/a", content = ""'),
      file('mount_path = "/a", secret = { ref = "a" }'),
      file('mount_path = "/a", secret = { provider = "vault", path = "a/b", key = "c" }'),
    ],
    refuse: [
      [file('mount_path = "/a"'), 'services.web.files.x'],
      [file('mount_path = "/a", content = "a", secret = { ref = "a" }'), 'services.web.files.x'],
      [file('mount_path = "/a", secret = { ref = "A" }'), 'services.web.files.x.secret'],
      [file('mount_path = "/a", content = 1'), 'services.web.files.x.content'],
      [file('mount_path = "/a", content = "\\u0000"'), 'services.web.files.x.content'],
      [web('files = { X = { mount_path = "/a", content = "a" } }'), 'services.web.files'],
    ],
  },
  {
    rule: '1.11: mode',
    accept: [292, 288].map((mode) => file(`mount_path = "/a", content = "a", mode = ${mode}`)),
    refuse: [293, 420, 1, -1, '"0444"', 444].map((mode) => [
      file(`mount_path = "/a", content = "a", mode = ${mode}`),
      'services.web.files.x.mode',
    ]),
  },
  {
    rule: '1.11: 64 KiB of a file, 128 KiB of a service',
    accept: [contents([65_536]), contents([65_536, 65_536])],
    refuse: [
      [contents([65_537]), 'services.web.files.x0.content'],
      [contents([65_536, 65_536, 1]), 'services.web.files'],
    ],
  },
];

/** Two services on one volume. */
const shared = (a: string, b: string, access = ''): string =>
  `name = "a"\n[volumes.data]\nsize_gib = 1\n${access}\n${service('one', `mounts = [{ volume = "data", mount_path = "/d" }]\n${a}`)}${service('two', `mounts = [{ volume = "data", mount_path = "/d" }]\n${b}`)}`;
/** Three services, of which the outer two share a volume with the middle one only. */
const chained = (a: string, c: string): string => {
  const on = (...volumes: readonly string[]): string =>
    `mounts = [${volumes.map((volume) => `{ volume = "${volume}", mount_path = "/${volume}" }`)}]`;
  const volumes = '[volumes.x]\nsize_gib = 1\n[volumes.y]\nsize_gib = 1\n';
  return `name = "a"\n${volumes}${service('one', `${on('x')}\n${a}`)}${service('two', on('x', 'y'))}${service('three', `${on('y')}\n${c}`)}`;
};
const MANY = 'access_mode = "ReadWriteMany"\nstorage_class = "nfs"';

const SHARED: readonly RuleCase[] = [
  {
    rule: '1.10: services on one volume have one group',
    accept: [
      shared('', ''),
      shared('fs_group = 5', 'fs_group = 5'),
      shared('run_as_user = 5', 'fs_group = 5'),
      shared('', 'fs_group = 10001'),
    ],
    refuse: [
      [shared('fs_group = 5', ''), 'services'],
      [shared('run_as_user = 5', 'fs_group = 6'), 'services'],
      [shared('fs_group = 5', 'fs_group = 6', MANY), 'services'],
    ],
  },
  {
    rule: '1.10: services on one ReadWriteOnce volume have one node',
    accept: [
      shared('node_name = "a"', ''),
      shared('node_name = "a"', 'node_name = "a"'),
      shared('architecture = "arm64"', ''),
      chained('node_name = "a"', 'node_name = "a"'),
      chained('node_name = "a"', 'architecture = "arm64"'),
      shared('node_name = "a"', 'node_name = "b"', MANY),
    ],
    refuse: [
      [shared('node_name = "a"', 'node_name = "b"'), 'services'],
      [shared('architecture = "arm64"', 'architecture = "amd64"'), 'services'],
      [chained('node_name = "a"', 'node_name = "b"'), 'services'],
    ],
  },
  {
    rule: '1.10: jobs share no ReadWriteOnce volume',
    accept: [shared('', 'job = {}', MANY)],
    refuse: [[shared('', 'job = {}'), 'services']],
  },
];

export const STORAGE_RULES: readonly RuleCase[] = [...VOLUMES, ...MOUNTS, ...FILES, ...SHARED];
