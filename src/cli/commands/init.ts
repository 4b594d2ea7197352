import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fail, NAME, problem } from '../../kernel/index.ts';
import { EXIT } from '../io.ts';
import { specFilesIn } from '../offline/read.ts';
import { andThen, type Cli, type Flags, refuse } from '../session.ts';

/** `init`: a file to start from (facts 8.3). */
export function addInit({ program, terminal, set }: Cli): void {
  program
    .command('init')
    .description('write a hakopod.toml to start from: one public web service')
    .option('--name <name>', 'name of the application (default: of the folder)')
    .option('--image <image>', 'image of the service', 'nginxinc/nginx-unprivileged:1')
    .action(async (flags: Flags) => {
      const folder = resolve(terminal.folder ?? '.');
      const name = typeof flags.name === 'string' ? flags.name : slug(basename(folder));
      if (!NAME.test(name))
        return set(refuse(terminal, '--name', 'must be lowercase letters, digits and hyphens, at most 40'));
      if (!/^[^\s"\\]{1,512}$/.test(String(flags.image))) return set(refuse(terminal, '--image', 'must be an image'));
      const there = await specFilesIn(folder);
      const exists = fail(problem('already_exists', 'there is a hakopod.toml here; it is left as it is'));
      if (there.length > 0) return set(await andThen({ terminal }, exists, () => EXIT.ok));
      await writeFile(join(folder, 'hakopod.toml'), starter(name, String(flags.image)), { flag: 'wx' });
      terminal.out('wrote hakopod.toml; `hakopod validate` checks it, `hakopod deploy --wait` releases it');
    });
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
}

function starter(name: string, image: string): string {
  return `schema_version = 1
name = "${name}"

[services.web]
image = "${image}"
port = 8080
public = true
healthcheck = "/"
`;
}
