/** What makes a spreadsheet take a cell for a formula when it comes first (facts 7.8). */
const FORMULA = /^[=+\-@\t\r\n]/;

/** One line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a quote before it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
