import { type Problem, problem } from '../kernel/index.ts';

/** What every build says and what tells a person nothing about why it failed. */
const NOISE =
  /^(?:context: \d+ files|STEP \d|\[\d+\/\d+\] STEP|--> |COMMIT\b|Getting image source|Copying (?:blob|config)|Writing manifest|Storing signatures|time="|Trying to pull|\[\d+ earlier lines|subprocess exited with status|\s*$)/;
/** How buildah words the end of a failing step; short and true, but it says less than the step's own last line. */
const EPILOGUE = /^(?:error|Error:|exit status \d)/;

/** Characters kept on the release and the run; a status is cut further. */
const MESSAGE_CHARACTERS = 500;

/** The last lines that say something, oldest first, at most `count`. */
export function usefulLines(lines: readonly string[], count = 3): readonly string[] {
  const telling = lines.map((line) => line.trim()).filter((line) => !NOISE.test(line));
  return telling.slice(-count);
}

/**
 * The problem of an image that did not build, with what the build itself said last, for the commit status. The step's own words come
 * before the engine's, because a status is cut at 140 characters.
 */
export function buildFailure(service: string, failure: Problem, lines: readonly string[]): Problem {
  const at = `services.${service}.build`;
  if (failure.code !== 'build_failed') return { ...failure, at };
  const useful = usefulLines(lines);
  const own = useful.filter((line) => !EPILOGUE.test(line));
  const engine = useful.filter((line) => EPILOGUE.test(line)).map(exitOf);
  const said = [...own.slice(-2), ...engine.slice(-1)].join('; ');
  return problem('build_failed', said === '' ? failure.message : said.slice(0, MESSAGE_CHARACTERS), { at });
}

/** `error building at STEP "RUN make": ... : exit status 2` without what stands before the step. */
function exitOf(line: string): string {
  return line.replace(/^(?:error|Error:?) (?:building at |in )?/, '');
}
