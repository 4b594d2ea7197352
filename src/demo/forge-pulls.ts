/** A pull or merge request as the recorder keeps it. */
export type RecordedPull = {
  readonly forge: 'github' | 'gitlab';
  /** `owner/name`; GitLab also answers to the id. */
  readonly project: string;
  readonly repositoryId: number;
  readonly number: number;
  readonly state: 'open' | 'closed' | 'merged';
  readonly head: string;
  /** Branch of the head, in whichever repository it is. */
  readonly branch: string;
  readonly base: string;
  readonly fork: boolean;
  readonly draft?: boolean;
  /** The commit both sides grew from; without it the forge does not know. */
  readonly mergeBase?: string;
  /** Of a merged request, the commit its base got; a fast-forward brings the head itself. */
  readonly mergedAs?: string;
  readonly updatedAt: string;
};

/** A comment, or a note at GitLab. */
export type RecordedComment = {
  readonly id: number;
  readonly forge: 'github' | 'gitlab';
  readonly project: string;
  readonly number: number;
  readonly author: number;
  readonly body: string;
  readonly at: string;
};

/** The user every token of the recorder belongs to. */
export const TOKEN_USER = 1001;

/** What the forges remember of pull requests and their comments. */
export class PullBook {
  readonly #pulls = new Map<string, RecordedPull>();
  readonly #comments: RecordedComment[] = [];
  readonly #writes: RecordedComment[] = [];

  put(pull: RecordedPull): void {
    this.#pulls.set(`${pull.forge} ${pull.number}`, pull);
  }

  /** The request of this number, when it is of this project. */
  find(forge: RecordedPull['forge'], project: string, number: number): RecordedPull | undefined {
    const pull = this.#pulls.get(`${forge} ${number}`);
    return pull !== undefined && isOf(pull, project) ? pull : undefined;
  }

  of(forge: RecordedPull['forge'], project: string): readonly RecordedPull[] {
    return [...this.#pulls.values()].filter((pull) => pull.forge === forge && isOf(pull, project));
  }

  comments(): readonly RecordedComment[] {
    return [...this.#comments];
  }

  /** Every creation and edit by the token's user, oldest first. */
  writes(): readonly RecordedComment[] {
    return [...this.#writes];
  }

  add(comment: Omit<RecordedComment, 'id' | 'at'>): RecordedComment {
    const added = { ...comment, id: this.#comments.length + 1, at: new Date().toISOString() };
    this.#comments.push(added);
    if (comment.author === TOKEN_USER) this.#writes.push(added);
    return added;
  }

  edit(id: number, body: string): RecordedComment | undefined {
    const index = this.#comments.findIndex((comment) => comment.id === id);
    const found = this.#comments[index];
    if (found === undefined) return undefined;
    const edited = { ...found, body };
    this.#comments[index] = edited;
    this.#writes.push(edited);
    return edited;
  }

  remove(id: number): void {
    const index = this.#comments.findIndex((comment) => comment.id === id);
    // Ids are given by position, so a removed comment leaves a hole that no one asks for.
    if (index >= 0) this.#comments[index] = { ...(this.#comments[index] as RecordedComment), number: -1 };
  }
}

function isOf(pull: RecordedPull, project: string): boolean {
  return project === pull.project || (pull.forge === 'gitlab' && project === String(pull.repositoryId));
}
