const SENSITIVE_KEY = /pass(word|wd)?$|secret|token|authorization|cookie|credential|private.?key|api.?key/i;
const SENSITIVE_TEXT =
  /\b(?:gh[pousr]_|github_pat_|glpat-|sk-proj-|whsec_|hp_[0-9a-f]{32}_)[\w-]{8,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|(?<=:\/\/)[^/\s:@]*:[^/\s@]+(?=@)|\b(?:Bearer|Basic)\s+[\w+/=.~-]{8,}/g;
const MAX_DEPTH = 6;
const MAX_TEXT = 4096;

/** The value with everything that looks like a secret replaced, errors turned into plain objects, and depth and length bounded. */
export function redact(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactField(key, inner, 0)]));
}

function redactField(key: string, value: unknown, depth: number): unknown {
  // A name that ends in Secret or Token may also hold a reference; only text can leak.
  if (typeof value === 'string' && SENSITIVE_KEY.test(key)) return '[redacted]';
  return redactValue(value, depth);
}

/** One text with everything in it that looks like a secret replaced. */
export function redactText(text: string): string {
  return text.replace(SENSITIVE_TEXT, '[redacted]');
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value.slice(0, MAX_TEXT));
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Error) {
    const { name, message, cause } = value;
    return {
      name,
      message: redactValue(message, depth + 1),
      ...(cause === undefined ? {} : { cause: redactValue(cause, depth + 1) }),
    };
  }
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactField(key, inner, depth + 1)]));
}
