import { type ApiAnswer, type ApiRequest, type ForgeLedger, isCommit, pageOf } from './forge-ledger.ts';

/** A check run of GitHub's, by another program than us. */
export type RecordedCheck = {
  readonly project: string;
  readonly commit: string;
  readonly name: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  /** Of one that is completed. */
  readonly conclusion: string | null;
};

/** The check runs of a commit, and what GitHub adds up of its statuses. */
export class CheckBook {
  readonly #runs: RecordedCheck[] = [];

  /** Adds a run, or brings the one of this name up to date. */
  put(run: RecordedCheck): void {
    const index = this.#runs.findIndex(
      (known) => known.project === run.project && known.commit === run.commit && known.name === run.name,
    );
    this.#runs[index < 0 ? this.#runs.length : index] = run;
  }

  /** GitHub's combined status and check runs of a commit; `undefined` for any other call. */
  answerGithub({ method, segments, query }: ApiRequest, ledger: ForgeLedger): ApiAnswer | undefined {
    const [repos, owner, repo, commits, sha = '', kind, ...more] = segments;
    if (repos !== 'repos' || commits !== 'commits' || method !== 'GET' || more.length > 0) return undefined;
    if (kind !== 'status' && kind !== 'check-runs') return undefined;
    if (!isCommit(sha)) return { status: 404, json: { message: 'Not Found' } };
    const project = `${owner}/${repo}`;
    if (kind === 'check-runs') {
      const runs = this.#runs.filter((run) => run.project === project && run.commit === sha);
      const page = pageOf(runs, query, 30).map(({ name, status, conclusion }, n) => ({
        id: n + 1,
        ...{ name, status, conclusion, head_sha: sha },
      }));
      return { status: 200, json: { total_count: runs.length, check_runs: page } };
    }
    const all = ledger.find({ forge: 'github', project, commit: sha });
    const newest = [...new Map(all.map((entry) => [entry.context, entry])).values()];
    const statuses = newest.map(({ id, context, state, description }) => ({ id, context, state, description }));
    const state = newest.some((one) => one.state === 'failure' || one.state === 'error')
      ? 'failure'
      : newest.length > 0 && newest.every((one) => one.state === 'success')
        ? 'success'
        : 'pending';
    return { status: 200, json: { state, sha, total_count: newest.length, statuses: pageOf(statuses, query, 30) } };
  }
}
