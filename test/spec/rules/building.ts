import { quoted, type RuleCase, table, web } from './rule-case.ts';

const NUL = '\\u0000';
const built = (fields: string): string => `name = "shop"\n[services.web.build]\n${fields}\n`;

const BUILDS: readonly RuleCase[] = [
  {
    rule: '5.1: paths of a build',
    accept: [
      built(''),
      built('context = "."\ndockerfile = "docker/Dockerfile"'),
      built('context = "a/b"'),
      built('context = "a/b"\ndockerfile = "a/b/Dockerfile.prod"'),
      built('context = ""\ndockerfile = ""'),
    ],
    refuse: [
      ...['/a', '../a', 'a/../b', 'a//b', 'a/', 'a\\b', 'a b', 'a'.repeat(201)].map(
        (path) => [built(`context = ${quoted(path)}`), 'services.web.build'] as const,
      ),
      ...['/a', '../a', 'a/../b', '.', 'a/'].map(
        (path) => [built(`dockerfile = ${quoted(path)}`), 'services.web.build.dockerfile'] as const,
      ),
      [built('context = "a"\ndockerfile = "b/Dockerfile"'), 'services.web.build.dockerfile'],
      [built('strange = 1'), 'services.web.build.strange'],
    ],
  },
  {
    rule: '5.1: what only a provider builds is a valid word',
    accept: [
      built('target = "prod"\nmode = "dockerfile"\npreset = "auto"\nsubmodules = false'),
      built('build_secrets = { npm = "NPM_AUTH" }\nsubmodules = true'),
    ],
    refuse: [
      [built('target = "a b"'), 'services.web.build.target'],
      [built('mode = "make"'), 'services.web.build.mode'],
      [built('preset = "cobol"'), 'services.web.build.preset'],
      [built('submodules = "yes"'), 'services.web.build.submodules'],
      [built('build_secrets = { npm = "npm auth" }'), 'services.web.build.build_secrets'],
    ],
  },
  {
    rule: '2.8: build arguments',
    accept: [
      built(`build_args = ${table(32, (i) => `A${i} = ""`)}`),
      built(`build_args = { A = "${'é'.repeat(1024)}", B = "$\{x}" }`),
      built(`build_args = { ${'A'.repeat(128)} = "a" }`),
    ],
    refuse: [
      [built(`build_args = ${table(33, (i) => `A${i} = ""`)}`), 'services.web.build.build_args'],
      ...[`${'é'.repeat(1024)}x`, 'a\\nb', 'a\\rb', NUL, '{{ a }}', '\\u0024{{ secrets.A }}', 'ghp_abcdefghijkl'].map(
        (value) => [built(`build_args = { A = "${value}" }`), 'services.web.build.build_args.A'] as const,
      ),
      [built('build_args = { NPM_TOKEN = "" }'), 'services.web.build.build_args.NPM_TOKEN'],
      [built('build_args = { A-B = "" }'), 'services.web.build.build_args'],
      [built(`build_args = { ${'A'.repeat(129)} = "" }`), 'services.web.build.build_args'],
      [built('build_args = { A = 1 }'), 'services.web.build.build_args.A'],
    ],
  },
];

const patch = (kind: string, bytes: number): string =>
  web(`port = 8080\npublic = true\nkubernetes = { ${kind} = "${'#'.repeat(bytes)}" }`);

const PATCHES: readonly RuleCase[] = [
  {
    rule: 'kubernetes-patches: 16 KiB each, for the objects that exist',
    accept: [
      ...['deployment', 'service', 'ingress'].map((kind) => patch(kind, 16_384)),
      web('kubernetes = {}'),
      web('kubernetes = { deployment = "spec: {}" }'),
    ],
    refuse: [
      ...['deployment', 'service', 'ingress'].map(
        (kind) => [patch(kind, 16_385), `services.web.kubernetes.${kind}`] as const,
      ),
      [web('kubernetes = { service = "spec: {}" }'), 'services.web.kubernetes'],
      [web('port = 80\nkubernetes = { ingress = "spec: {}" }'), 'services.web.kubernetes'],
      [web('kubernetes = { configmap = "a" }'), 'services.web.kubernetes'],
      [web('kubernetes = { deployment = 1 }'), 'services.web.kubernetes.deployment'],
      [web('job = {}\nkubernetes = { deployment = "spec: {}" }'), 'services.web.kubernetes'],
    ],
  },
];

export const BUILDING_RULES: readonly RuleCase[] = [...BUILDS, ...PATCHES];
