import { z } from 'zod';
import { DIGEST, fail, ok, problem, type Result } from '../../kernel/index.ts';
import { OPERATION_LIMITS } from './limits.ts';

/** RFC 1123 label and subdomain. */
export const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export const Label = z.string().regex(LABEL, 'not a label of RFC 1123');
export const Subdomain = z.string().max(253).regex(SUBDOMAIN, 'not a subdomain of RFC 1123');
/** Lower case only: ids are compared as text. */
export const Uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'not a lower-case UUID');
export const Instant = z.iso.datetime({ offset: true });
export const RequestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'not a request id');
export const EndpointId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'not an endpoint id');
export const ServiceName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'not a service name');
export const ResourceVersion = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._-]{1,${OPERATION_LIMITS.resourceVersionBytes}}$`), 'not a resource version');
export const Replicas = z.int().min(0).max(OPERATION_LIMITS.replicas);
export const Digest = z.string().regex(DIGEST, 'not a digest');

/** True for text that is UTF-8 without NUL, of at most `bytes`. */
export function isPlainText(text: string, bytes: number): boolean {
  return text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= bytes;
}

/** The first issue of a failed parse as a problem; the message never repeats a value. */
export function parsed<T>(schema: z.ZodType<T>, input: unknown): Result<T> {
  const outcome = schema.safeParse(input);
  if (outcome.success) return ok(outcome.data);
  const issue = outcome.error.issues[0];
  const at = issue === undefined ? '' : issue.path.map(String).join('.');
  return fail(problem('invalid_request', undefined, at === '' ? {} : { at }));
}
