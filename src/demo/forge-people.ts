import type { ApiAnswer, ApiRequest } from './forge-ledger.ts';

/** What somebody may do to a repository, in GitHub's words. */
export type RepositoryRole = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

/** GitHub's permission of each role (REST API, collaborators): `maintain` is told as `write`, `triage` as `read`. */
const PERMISSIONS = { admin: 'admin', maintain: 'write', write: 'write', triage: 'read', read: 'read' } as const;
/** GitLab's access levels (members API): maintainer, developer, reporter, guest. */
const LEVELS = { admin: 40, maintain: 40, write: 30, triage: 20, read: 10 } as const;

/** The login of a user of the recorder. */
export function loginOf(user: number): string {
  return `user-${user}`;
}

/** Who may do what; nobody may do anything until told. */
export class PeopleBook {
  readonly #roles = new Map<number, RepositoryRole>();

  set(user: number, role: RepositoryRole): void {
    this.#roles.set(user, role);
  }

  /** GitHub's permission of a collaborator, which of a user who is none is `none`; `undefined` for any other call. */
  answerGithub({ method, segments }: ApiRequest): ApiAnswer | undefined {
    const [repos, , , kind, login = '', tail, ...more] = segments;
    if (repos !== 'repos' || kind !== 'collaborators' || tail !== 'permission' || more.length > 0) return undefined;
    const id = Number(/^user-(\d+)$/.exec(login)?.[1]);
    if (method !== 'GET' || !Number.isInteger(id)) return { status: 404, json: { message: 'Not Found' } };
    const role = this.#roles.get(id);
    const permission = role === undefined ? 'none' : PERMISSIONS[role];
    return { status: 200, json: { permission, role_name: role ?? 'none', user: { id, login } } };
  }

  /** GitLab's member of a project or a group above it; `undefined` for any other call. */
  answerGitlab({ method, segments }: ApiRequest): ApiAnswer | undefined {
    const [projects, , kind, all, user, ...more] = segments;
    if (projects !== 'projects' || kind !== 'members' || all !== 'all' || more.length > 0) return undefined;
    const role = this.#roles.get(Number(user));
    if (method !== 'GET' || role === undefined) return { status: 404, json: { message: '404 Not found' } };
    const id = Number(user);
    return { status: 200, json: { id, username: loginOf(id), state: 'active', access_level: LEVELS[role] } };
  }
}
