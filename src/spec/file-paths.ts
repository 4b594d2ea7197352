const LONGEST = 200;

/** Whether a path is absolute and clean, at most `longest` characters. `/` alone is. */
export function cleanAbsolute(path: string, longest = LONGEST): boolean {
  if (path === '/') return true;
  return path.length <= longest && path.startsWith('/') && printable(path) && cleanParts(path.slice(1));
}

/** Whether a path is relative and clean, without `.` and `..` parts (facts 1.10, 1.16). */
export function cleanRelative(path: string, longest = LONGEST): boolean {
  return path.length <= longest && printable(path) && cleanParts(path);
}

/** Whether one path is the other or lies in it. Both are clean and absolute. */
export function within(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Whether one of two paths is the other or lies in it. */
export function overlap(a: string, b: string): boolean {
  return within(a, b) || within(b, a);
}

/** Kubernetes allows no colon in a mount path. */
function printable(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
  return !/[\u0000-\u001f\u007f\\:]/.test(path);
}

function cleanParts(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

const MOUNT_RESERVED = ['/proc', '/sys', '/dev', '/etc', '/var/run/secrets'];
const VOLUME_RESERVED = ['/proc', '/sys', '/dev', '/etc', '/run', '/var/run'];
const FILE_RESERVED = ['/proc', '/sys', '/dev', '/var/run/secrets', '/run/secrets'];

/** Facts 1.10, "allowed mount": not `/`, and no part of the system or over it. */
export function mountablePath(path: string): boolean {
  return path !== '/' && cleanAbsolute(path) && !MOUNT_RESERVED.some((reserved) => overlap(path, reserved));
}

/** Facts 1.10: where the volume of one service may be. */
export function volumePath(path: string): boolean {
  return path !== '/' && cleanAbsolute(path) && !VOLUME_RESERVED.some((reserved) => within(path, reserved));
}

/** Facts 1.11: where a file may be; under `/etc` too, but not in its place. */
export function filePath(path: string): boolean {
  return (
    path !== '/' && path !== '/etc' && cleanAbsolute(path) && !FILE_RESERVED.some((reserved) => overlap(path, reserved))
  );
}
