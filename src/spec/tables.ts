/** A TOML table or JSON object. */
export type Table = Readonly<Record<string, unknown>>;

/** Whether a value is a TOML table or JSON object. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
