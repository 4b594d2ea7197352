import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts, type Processes } from './processes.ts';

/** Starts Debian's docker-registry on a free port of loopback; answers `host:port`. */
export async function startRegistry(folder: string, processes: Processes): Promise<string> {
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const root = join(folder, 'registry');
  await mkdir(root);
  const config = {
    version: '0.1',
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: root } },
    http: { addr: host },
  };
  const path = join(folder, 'registry.json');
  await writeFile(path, JSON.stringify(config));
  processes.start('docker-registry', 'docker-registry', ['serve', path]);
  await processes.ready('docker-registry', 20_000, async () => (await fetch(`http://${host}/v2/`)).status === 200);
  return host;
}
