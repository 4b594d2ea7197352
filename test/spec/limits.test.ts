import { expect, test } from 'vitest';
import { previewProblems, recoveryBlockers } from '../../src/spec/index.ts';
import { application, withService } from './support.ts';

const many = (n: number): string => Array.from({ length: n }, (_, i) => `[services.s${i}]\nimage = "a"`).join('\n');
const volumes = (gib: number): string =>
  withService('volume = { mount_path = "/d", size_gib = 1 }', `[volumes.v]\nsize_gib = ${gib}`);

/** Facts 2.10. */
test.each([
  ['4 services', `name = "a"\n${many(4)}`, []],
  ['5 services', `name = "a"\n${many(5)}`, ['services']],
  ['a domain', withService('port = 1\npublic = true', '[domains]\n"a.example.com" = "web"'), ['domains']],
  [
    'a virtual network',
    withService('', '[networks.x]\nvirtual_network = "v"\nsegment = "s"'),
    ['networks.x.virtual_network'],
  ],
  ['another size', withService('size = "medium"'), ['services.web.size']],
  ['2 replicas', withService('replicas = 2'), ['services.web.replicas']],
  ['autoscaling', withService('autoscaling = { min_replicas = 2, max_replicas = 3 }'), ['services.web.autoscaling']],
  ['a GPU', withService('gpu.count = 1'), ['services.web.gpu']],
  [
    'public TCP',
    withService(
      'port = 1\nports = [{ name = "a", port = 2 }]\npublic_tcp = [{ port = 9000, target_port = 2, source_cidrs = ["0.0.0.0/0"] }]',
    ),
    ['services.web.public_tcp'],
  ],
  [
    'certificates',
    withService('certificate_mounts = [{ certificate = "c", hostname = "a.example.com", mount_path = "/c" }]'),
    ['services.web.certificate_mounts'],
  ],
  ['an AWS identity', withService('aws_identity = "a"'), ['services.web.aws_identity']],
  ['TLS', withService('port = 1\npublic = true\ntls.issuer = "a"'), ['services.web.tls']],
  ['a running schedule', withService('job.schedule.cron = "* * * * *"'), ['services.web.suspended']],
  ['a paused schedule', withService('suspended = true\njob.schedule.cron = "* * * * *"'), []],
  ['a job', withService('job = {}'), []],
  ['own secrets', withService('secrets.A.ref = "a"'), []],
  [
    "others' secrets",
    withService(
      'secrets.A = { provider = "v", key = "k" }\nfiles.f = { mount_path = "/f", secret = { provider = "v", key = "k" } }\nbindings.B = { service = "db", protocol = "redis", password = { provider = "v", key = "k" } }',
      '[secrets]\nC = { provider = "v", key = "k" }\n[services.db]\nimage = "a"\nport = 1',
    ),
    [
      'secrets.C.provider',
      'services.web.secrets.A.provider',
      'services.web.bindings.B.password.provider',
      'services.web.files.f.secret.provider',
    ],
  ],
  ['5 GiB', volumes(4), []],
  ['6 GiB', volumes(5), ['volumes']],
])('a preview with %s', (_name, text, at) => {
  expect(previewProblems(application(text)).map((p) => p.at)).toEqual(at);
});

const plain = application(withService(''));

/** Facts 2.11. */
test.each([
  ['nothing else', plain, withService('env.A = "b"'), []],
  ['no success before', undefined, withService(''), [undefined]],
  ['recovery switched off', plain, `recovery.on_failure = "disabled"\n${withService('')}`, ['recovery.on_failure']],
  ['another service', plain, 'name = "shop"\n[services.other]\nimage = "a"', ['services']],
  ['one more service', plain, withService('', '[services.db]\nimage = "a"'), ['services']],
  ['a job', plain, withService('job = {}'), ['services.web.job']],
  ['a job before', application(withService('job = {}')), withService(''), ['services.web.job']],
  ['a named volume', plain, withService('', '[volumes.v]\nsize_gib = 1'), ['volumes']],
  [
    'a volume before',
    application(withService('volume = { mount_path = "/d", size_gib = 1 }')),
    withService('volume = { mount_path = "/d", size_gib = 1 }'),
    ['services.web.volume'],
  ],
  [
    'mounts',
    plain,
    withService('mounts = [{ volume = "v", mount_path = "/v" }]', '[volumes.v]\nsize_gib = 1'),
    ['volumes', 'services.web.mounts'],
  ],
])('recovery with %s', (_name, before, text, at) => {
  expect(recoveryBlockers(before, application(text)).map((blocker) => blocker.at)).toEqual(at);
});
