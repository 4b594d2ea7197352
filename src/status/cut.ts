/** At most `limit` code points (so never half a surrogate pair); what is longer ends in `...`. Line breaks and controls become spaces. */
export function cut(text: string, limit: number): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  const points = [...line.slice(0, limit * 2 + 2)];
  if (points.length <= limit) return line;
  return `${points
    .slice(0, limit - 3)
    .join('')
    .trimEnd()}...`;
}
