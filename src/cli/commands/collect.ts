/** For a flag that may be given several times: its values in order. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
