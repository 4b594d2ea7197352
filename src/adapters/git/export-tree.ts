import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { GitExport } from '../../ports/index.ts';
import { strayLink } from './export-links.ts';
import { type Exported, type ListRequest, listTree, tooLarge } from './export-list.ts';
import type { GitObject } from './objects.ts';
import { malformed } from './pkt-line.ts';
import { isLfsPointer } from './read-file.ts';
import type { Repository } from './repository.ts';

/** Milliseconds one export may take: a context is many objects, not one file. */
export const EXPORT_DEADLINE_MS = 5 * 60_000;

export type ExportRequest = ListRequest & { readonly into: string; readonly maxBytes: number };

/** Objects asked for at once, and such requests under way: what is in memory stays small beside the context's cap. */
const BATCH = 128;
const PARALLEL = 3;
/** Bytes of a link's target, as Linux has it. */
const LINK_BYTES = 4096;

type File = Extract<Exported, { kind: 'file' }>;
type Linked = Extract<Exported, { kind: 'link' }>;

/**
 * Writes a folder of a commit into `into`. Everything is judged before the first byte is written; links are written last, so that no file
 * is ever written through one. Uses no work tree, so no filter, hook or attribute of the repository has a say.
 */
export async function exportTreeAt(
  repository: Repository,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<Result<GitExport>> {
  const listed = await listTree(repository, request, signal);
  if (!listed.ok) return listed;
  const links = await readLinks(repository, { request, listed: listed.value }, signal);
  if (!links.ok) return links;
  const stray = strayLink(links.value);
  if (stray !== undefined)
    return fail(
      problem('symlink_refused', 'the build context has a symbolic link that leads out of it', { cause: stray.path }),
    );
  try {
    await empty(request.into);
    for (const entry of listed.value) if (entry.kind === 'folder') await mkdir(place(request.into, entry.path));
    const files = listed.value.filter((entry) => entry.kind === 'file');
    const written = await writeFiles(repository, { request, files }, signal);
    if (!written.ok) return written;
    for (const { path, target } of links.value) await symlink(Buffer.from(target, 'latin1'), place(request.into, path));
    return ok({ files: files.length + links.value.length, bytes: written.value });
  } catch (error) {
    return fail(fileProblem(error));
  }
}

/** A `latin1` path as the bytes it stands for. */
function place(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`, 'utf8'), Buffer.from(path, 'latin1')]);
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

async function readLinks(
  repository: Repository,
  from: { readonly request: ExportRequest; readonly listed: readonly Exported[] },
  signal: AbortSignal,
): Promise<Result<readonly { readonly path: string; readonly target: string }[]>> {
  const links = from.listed.filter((entry): entry is Linked => entry.kind === 'link');
  if (links.length === 0) return ok([]);
  const oids = [...new Set(links.map(({ oid }) => oid))];
  const commits = [from.request.commit];
  const loaded = await repository.load({ kind: 'blob', oids, commits, blobBytes: LINK_BYTES }, signal);
  const found: { path: string; target: string }[] = [];
  for (const { path, oid } of links) {
    const blob = loaded.get(oid) ?? malformed('no answer');
    if (!blob.ok) {
      return blob.problem.code === 'object_too_large'
        ? fail(problem('symlink_refused', 'the build context has a symbolic link that is too long', { cause: path }))
        : blob;
    }
    if (blob.value.type !== 'blob') return malformed('a link of a tree is no blob');
    found.push({ path, target: blob.value.data.toString('latin1') });
  }
  return ok(found);
}

/** Fetches and writes all files, a few batches side by side; answers the bytes. Stops at the first problem. */
async function writeFiles(
  repository: Repository,
  work: { readonly request: ExportRequest; readonly files: readonly File[] },
  signal: AbortSignal,
): Promise<Result<number>> {
  const byOid = Map.groupBy(work.files, ({ oid }) => oid);
  const oids = [...byOid.keys()];
  const { request } = work;
  let bytes = 0;
  let failed: Result<never> | undefined;
  const take = async (oid: string, loaded: Result<GitObject>): Promise<void> => {
    const data = dataOf(loaded);
    const same = byOid.get(oid) ?? [];
    if (data.ok) bytes += data.value.length * same.length;
    if (!data.ok) failed ??= data;
    else if (bytes > request.maxBytes) failed ??= tooMany(request);
    else for (const file of same) await writeFile(request.into, file, data.value);
  };
  const lane = async (): Promise<void> => {
    for (let batch = oids.splice(0, BATCH); batch.length > 0; batch = oids.splice(0, BATCH)) {
      const wanted = { kind: 'blob', oids: batch, commits: [request.commit], blobBytes: request.maxBytes } as const;
      for (const [oid, loaded] of await repository.load(wanted, signal)) {
        if (failed !== undefined || signal.aborted) return;
        await take(oid, loaded);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  if (signal.aborted) return fail(problem('git_unavailable', 'reading the repository was cancelled'));
  return failed ?? ok(bytes);
}

function dataOf(loaded: Result<GitObject>): Result<Buffer> {
  if (!loaded.ok) {
    return loaded.problem.code === 'object_too_large'
      ? tooLarge('the build context has a file that is larger than the limit')
      : loaded;
  }
  if (loaded.value.type !== 'blob') return malformed('a file of a tree is no blob');
  if (isLfsPointer(loaded.value.data))
    return fail(problem('lfs_pointer', 'the build context has a Git LFS pointer; commit the file itself'));
  return ok(loaded.value.data);
}

function tooMany({ maxBytes }: ExportRequest): Result<never> {
  return tooLarge(`the build context is larger than ${Math.floor(maxBytes / 1024 ** 2)} MiB`);
}

async function writeFile(into: string, file: File, data: Buffer): Promise<void> {
  const path = place(into, file.path);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  const mode = file.executable ? 0o755 : 0o644;
  const handle = await open(path, flags, mode);
  try {
    await handle.writeFile(data);
  } finally {
    await handle.close();
  }
  // What the image gets must not depend on the worker's umask.
  await chmod(path, mode);
}

function fileProblem(error: unknown) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENAMETOOLONG' || code === 'EILSEQ' || code === 'EINVAL')
    return problem('invalid_path', 'the build context has a file whose name can not be used', { cause: code });
  // Two entries of one name: git never writes such a tree.
  if (code === 'EEXIST') return problem('git_protocol', undefined, { cause: 'a tree names an entry twice' });
  return problem('build_unavailable', 'the build context could not be written', { cause: code });
}
