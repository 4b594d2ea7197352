import { z } from 'zod';
import { PERMISSIONS, type Principal } from '../../access/index.ts';
import { NAME, type Result } from '../../kernel/index.ts';

/** How a request came in; stands in the audit record of what it changed. */
export type RequestInfo = {
  /** Random hex, also in the answer's `X-Request-Id`. */
  readonly id: string;
  readonly origin: 'api' | 'cli' | 'local';
};

/**
 * One thing a person or a program can do: authorise the principal, do it, audit it. Input and answer are of the schemas beside it. A
 * principal that may not is `forbidden`, also for what exists outside its scope; what does not exist is `not_found`.
 */
export type Operation<Input, Answer> = (
  principal: Principal,
  input: Input,
  request: RequestInfo,
) => Promise<Result<Answer>>;

/** A slug: project, environment, application, service, secret, registry (facts 1). */
export const Name = z.string().regex(NAME).max(40).meta({ description: 'lower case letters, digits and hyphens' });
export const Timestamp = z.iso.datetime().meta({ description: 'UTC, ISO 8601' });
/** Several random ids: applications, keys. */
export const HexId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({ description: '32 hex digits' });
/** A specification as JSON; its own rules are those of the file. */
export const SpecJson = z.record(z.string(), z.unknown()).meta({ description: 'an application file as JSON' });
export const Revision = z.int().min(0).max(2_147_483_647);

export const Permission = z.enum(PERMISSIONS);
export const Permissions = z.array(Permission).min(1).max(20);

/** Where something applies; what is absent is any. */
export const ScopeFields = {
  project: Name.optional(),
  environment: Name.optional(),
  application: Name.optional(),
};

/** The parameters of a list. A cursor is opaque and belongs to the list and filters that gave it. */
export const PageQuery = {
  cursor: z.string().min(1).max(1024).optional().meta({ description: '`next_cursor` of the page before' }),
  limit: z.coerce.number().int().min(1).max(100).default(25).meta({ description: 'items a page, at most' }),
};
export type PageInput = { readonly cursor?: string | undefined; readonly limit: number };

/** `{items, next_cursor?}` (facts 7.1). */
export function pageOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodArray<Item>; next_cursor: z.ZodOptional<z.ZodString> }, z.core.$strict> {
  return z.strictObject({ items: z.array(item), next_cursor: z.string().optional() });
}
export type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor?: string | undefined };

/** The error envelope (facts 7.1). `details` names the field at fault and what else the code has to say, never a value. */
export const ErrorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

/** Typing the name again before something goes (facts 7.3). */
export const ConfirmName = z.strictObject({ confirm_name: Name.meta({ description: 'the name, typed again' }) });
/** Nothing to say. */
export type Empty = object;
