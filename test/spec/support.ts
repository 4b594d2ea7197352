import { describe } from '../../src/kernel/index.ts';
import { type Application, parseSpec, type Service } from '../../src/spec/index.ts';

/** Parses what must be valid. */
export function application(text: string): Application {
  const result = parseSpec(text);
  if (!result.ok) throw new Error(result.problems.map(describe).join('\n'));
  return result.application;
}

/** One service `web` with these lines in its table; `tail` holds more tables. */
export function withService(lines: string, tail = ''): string {
  return `name = "shop"\n[services.web]\nimage = "nginx"\n${lines}\n${tail}`;
}

/** The normalised service `web` of `withService`. */
export function web(lines: string, tail = ''): Service {
  return application(withService(lines, tail)).services.web!;
}

/** `at: message` of every problem; empty for a valid file. */
export function problems(text: string): readonly string[] {
  const result = parseSpec(text);
  return result.ok ? [] : result.problems.map((p) => `${p.at ?? ''}: ${p.message}`);
}

/** Only the paths at fault. */
export function faults(text: string): readonly (string | undefined)[] {
  const result = parseSpec(text);
  return result.ok ? [] : result.problems.map((p) => p.at);
}
