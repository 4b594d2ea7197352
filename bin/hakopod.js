#!/usr/bin/env node
// Plain JavaScript for any Node: finds one that is new enough and runs the program with it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const recent = major > 22 || (major === 22 && minor >= 19);
const bundled = join(root, 'node_modules', 'node', 'bin', 'node');
const built = join(root, 'dist', 'src', 'main.js');
const entry = existsSync(built) ? built : join(root, 'src', 'main.ts');

if (recent) {
  await import(entry);
} else if (existsSync(bundled)) {
  const child = spawn(bundled, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
} else {
  console.error(`hakopod needs Node 22.19 or newer; this is ${process.versions.node}`);
  process.exitCode = 1;
}
