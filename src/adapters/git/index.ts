/**
 * Git over smart HTTP behind the `GitReader` port. Input: a remote, a commit, paths. Output: ref tips, the text of one file, which paths
 * differ. The hot path is a partial reader over protocol version 2 that transfers only the commit, the trees on the path and the file;
 * servers without partial clone are read with isomorphic-git's shallow fetch behind a size cap. Never checks anything out, follows no link,
 * runs no hook or helper, and sends credentials to the URL's own host only.
 */
export { createGitReader, type GitReaderOptions } from './reader.ts';
export { checkRemoteUrl, isForgeAddress } from './remote-url.ts';
