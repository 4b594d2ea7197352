import { z } from 'zod';
import { ENV_NAME } from '../../kernel/index.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { isPlainText, Label, Subdomain } from './words.ts';

export const EnvName = z.string().regex(ENV_NAME, 'not a name of an environment variable');
export const EnvValue = z.string().refine((text) => isPlainText(text, OPERATION_LIMITS.envValueBytes));
/** `<object>/<key>` of a Secret or ConfigMap. */
export const KeyReference = z
  .string()
  .max(512)
  .refine((text) => {
    const [object, key, ...more] = text.split('/');
    const known = Subdomain.safeParse(object).success;
    return known && more.length === 0 && key !== undefined && /^[-._a-zA-Z0-9]{1,253}$/.test(key);
  });

/** One variable: a literal, or a reference into a Secret or a ConfigMap, and never two of them. */
export const EnvEntry = z
  .strictObject({
    name: EnvName,
    value: EnvValue.optional(),
    secret: KeyReference.optional(),
    configMap: KeyReference.optional(),
  })
  .refine((entry) => [entry.value, entry.secret, entry.configMap].filter((one) => one !== undefined).length === 1);
export type EnvEntry = z.infer<typeof EnvEntry>;

/** Bytes of names and values together. */
export function envBytes(entries: readonly { readonly name: string; readonly value?: string | undefined }[]): number {
  return entries.reduce((sum, { name, value = '' }) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
}

const Argument = z.string().refine((text) => isPlainText(text, OPERATION_LIMITS.argumentBytes));
export const Arguments = z.array(Argument).max(OPERATION_LIMITS.argumentEntries);

/** A quantity: empty, or a number Kubernetes parses that is not negative. */
export const Quantity = z
  .string()
  .max(OPERATION_LIMITS.quantityBytes)
  .regex(/^$|^(\d+(\.\d*)?|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/, 'not a quantity');

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const HOST =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::\\d{1,5})?)';
/** Host and path components, an optional port, then a tag or a digest, or both. */
export const Image = z
  .string()
  .max(OPERATION_LIMITS.imageBytes)
  .regex(
    new RegExp(
      `^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(?:@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`,
    ),
    'not an image with a tag or a digest',
  );

export const ContainerName = Label;
