/** Control characters, line and paragraph separators, and what turns the direction of text: nothing a terminal or page should be told. */
const UNWANTED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** Text of the cluster as it may be shown: without what steers a terminal, cut at a character to at most `bytes` of UTF-8. */
export function clean(value: unknown, bytes: number): string {
  if (typeof value !== 'string') return '';
  const shown = value.replace(UNWANTED, '');
  const encoded = Buffer.from(shown, 'utf8');
  if (encoded.length <= bytes) return shown;
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString('utf8');
}
