import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, fail, ok, problem, type Result, sha256 } from '../../kernel/index.ts';
import type { Page, PageInput } from '../../ports/api/index.ts';

/**
 * Makes pages of lists. A cursor says after which item to go on, not how many to leave out, so what is inserted or removed meanwhile makes
 * no item appear twice or not at all. It is opaque, bound to its list and filters, and signed: nobody can make one up.
 */
export type Pager = {
  /** The page of `items`, which are in the order of `keyOf` (ascending code units; unique). */
  of<Item>(list: PagedList<Item>, input: PageInput): Result<Page<Item>>;
  /** The key the page begins after, for lists that are read page by page; `undefined` for the first. `invalid_request` for a cursor of another list. */
  after(list: ListName, cursor: string | undefined): Result<string | undefined>;
  /** The cursor that goes on after this key. */
  cursor(list: ListName, after: string): string;
};

/** A list is what it lists and the filters it was asked with. */
export type ListName = { readonly name: string; readonly filters?: Readonly<Record<string, unknown>> };
export type PagedList<Item> = ListName & {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
};

const MAC_CHARACTERS = 22;

/** `secret` is the installation's; a domain of its own keeps its other uses apart. */
export function createPager(secret: string): Pager {
  const mac = (text: string): string =>
    createHmac('sha256', secret).update(`cursor\n${text}`).digest('base64url').slice(0, MAC_CHARACTERS);
  const nameOf = ({ name, filters = {} }: ListName): string => sha256(canonicalJson({ name, filters })).slice(0, 16);

  const pager: Pager = {
    after(list, cursor) {
      if (cursor === undefined) return ok(undefined);
      const [payload = '', signature = '', ...rest] = cursor.split('.');
      const expected = Buffer.from(mac(payload));
      const given = Buffer.from(signature);
      const isOurs = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
      const text = isOurs ? Buffer.from(payload, 'base64url').toString('utf8') : '';
      const of = `${nameOf(list)}:`;
      return text.startsWith(of)
        ? ok(text.slice(of.length))
        : fail(problem('invalid_request', 'is no cursor of this list and these filters', { at: 'query.cursor' }));
    },
    cursor(list, after) {
      const payload = Buffer.from(`${nameOf(list)}:${after}`).toString('base64url');
      return `${payload}.${mac(payload)}`;
    },
    of(list, input) {
      const after = pager.after(list, input.cursor);
      if (!after.ok) return after;
      const { value } = after;
      const rest = value === undefined ? list.items : list.items.filter((item) => list.keyOf(item) > value);
      const items = rest.slice(0, input.limit);
      const last = items.at(-1);
      const hasMore = rest.length > items.length && last !== undefined;
      return ok({ items, ...(hasMore ? { next_cursor: pager.cursor(list, list.keyOf(last)) } : {}) });
    },
  };
  return pager;
}
