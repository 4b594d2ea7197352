import { DIGEST } from '../kernel/index.ts';

const LONGEST = 512;

/** Whether an image reference has the shape facts 2.2 asks for; whether it exists is the registry's to say. */
export function validImage(image: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
  if (image === '' || image.length > LONGEST || /[\s\u0000-\u001f\u007f\\?#]/.test(image)) return false;
  if (image.includes('://') || image.startsWith('/') || image.includes('..')) return false;
  const [repository = '', digest, ...more] = image.split('@');
  if (more.length > 0) return false;
  return digest === undefined || (repository !== '' && DIGEST.test(digest));
}

const DOCKER_HUB: ReadonlySet<string> = new Set(['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);

/** The registry host (with port) an image comes from; `docker.io` when it names none. Lowercase. */
export function imageRegistry(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash).toLowerCase();
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost';
  return !isHost || DOCKER_HUB.has(first) ? 'docker.io' : first;
}
