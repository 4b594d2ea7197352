import { spawn, spawnSync } from 'node:child_process';

/** What Python's parser makes of a document: its value, or `undefined` when it refuses. */
export type PythonToml = {
  read(texts: readonly string[]): Promise<readonly (Plain | undefined)[]>;
};

/** A parsed value with everything told apart that JSON would not: numbers that are none, and dates by their text. */
export type Plain = string | boolean | number | readonly Plain[] | { readonly [key: string]: Plain };

/** Reads JSON texts from standard input, one a line, and answers a line for each: `null`, or the value in an array. */
const PROGRAM = `
import json, sys, tomllib, math, datetime
def plain(value):
    if isinstance(value, dict):
        return {key: plain(below) for key, below in value.items()}
    if isinstance(value, list):
        return [plain(below) for below in value]
    if isinstance(value, bool) or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2 ** 53 else "integer too large"
    if isinstance(value, float):
        return value if math.isfinite(value) else "number " + str(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return "date " + str(int(value.timestamp() * 1000))
    return "date"
sys.setrecursionlimit(20000)
for line in sys.stdin:
    try:
        answer = [plain(tomllib.loads(json.loads(line)))]
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        answer = None
    print(json.dumps(answer))
`;

/** Python with tomllib, or why there is none. */
export function findTomllib(): PythonToml | string {
  const found = spawnSync('python3', ['-c', 'import tomllib'], { timeout: 20_000 });
  if (found.error !== undefined) return 'there is no python3';
  return found.status === 0 ? { read } : 'python3 is older than 3.11';
}

/** One process for all documents. */
function read(texts: readonly string[]): Promise<readonly (Plain | undefined)[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 60_000 });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => {
      const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
      if (lines.length !== texts.length) reject(new Error(`${lines.length} answers for ${texts.length} documents`));
      else resolve(lines.map((line) => (JSON.parse(line) as readonly [Plain] | null)?.[0]));
    });
    child.stdin.end(texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
  });
}
