const NAMES = [
  'PASSWORD',
  'PASSWD',
  'PWD',
  'TOKEN',
  'SECRET',
  'API_KEY',
  'PRIVATE_KEY',
  'ACCESS_KEY',
  'ACCESS_KEY_ID',
  'SECRET_KEY',
  'CLIENT_SECRET',
  'SIGNING_KEY',
  'ENCRYPTION_KEY',
];
const NAME = new RegExp(`(?:^|_)(?:${NAMES.join('|')})$`);
const SEGMENT = /(?:^|_)(?:SECRET_KEY|PRIVATE_KEY|API_KEY|CLIENT_SECRET)(?:_|$)/;

/** Each is anchored or bounded, so that none takes more than a few passes over a value. A URL may leave its scheme out. */
const VALUES = [
  /-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY/,
  /^(?:gh[pousr]_|github_pat_|glpat-|sk-proj-)[A-Za-z0-9_-]{12}/,
  /^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/,
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/[^/?#\s]*@/,
];

/** Whether a variable looks like a secret by its name (also when empty) or its value; such must be secret references (facts 2.3). */
export function looksSensitive(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  if (NAME.test(upper) || SEGMENT.test(upper)) return true;
  const trimmed = value.trim();
  return VALUES.some((pattern) => pattern.test(trimmed));
}
