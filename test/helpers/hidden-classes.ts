/** Programs whose V8 logs each property that its caches did not find. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';

const WARM_UP = 1500;
const WATCHED = 400;
/**
 * Of the requests that are watched. Work that comes by the clock, as the reading of counters ten times a
 * second, misses at places of its own, the more often the slower the requests are.
 */
const FREQUENT = 1 / 4;
const WARM = 'warm_up_is_over';
const DONE = 'work_is_over';

export interface LoggedWork {
  /** Below `test/helpers`; marks its log with the lines that it reads, and answers with them. */
  script: string;
  args?: readonly string[];
  /**
   * `count` requests, to warm up and to be watched. `first`: the first line that the script said. `say`: a
   * line to it, until it has answered with it.
   */
  work(count: number, first: string, say: (line: string) => Promise<void>): Promise<void>;
}

/** Properties that V8's caches missed in one of four requests and more when it was warm, and how often. */
export async function frequentMisses({ script, args = [], work }: LoggedWork): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-classes-'));
  const log = join(folder, 'v8.log');
  const flags = ['--log-ic', `--logfile=${log}`, '--no-logfile-per-isolate'];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const answers = createInterface({ input: child.stdout });
  const nextLine = () => Promise.race([once(answers, 'line'), ended.then(() => ['(the script ended)'])]);
  const say = async (line: string) => {
    const answer = nextLine();
    child.stdin.write(`${line}\n`);
    expect(await answer).toEqual([line]);
  };
  try {
    const [first] = (await nextLine()) as [string];
    await work(WARM_UP, first, say);
    await say(WARM);
    await work(WATCHED, first, say);
    await say(DONE);
    child.kill('SIGTERM');
    await ended;
    return frequentIn(readFileSync(log, 'utf8').split('\n'));
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

function frequentIn(lines: readonly string[]): string[] {
  const warm = lines.findIndex((line) => line.includes(WARM));
  const done = lines.findIndex((line) => line.includes(DONE));
  expect(done).toBeGreaterThan(warm);
  const misses = (from: number, to: number) => lines.slice(from, to).filter((line) => /^\w+IC,/.test(line));
  expect(misses(0, warm).length).toBeGreaterThan(1000); // the log is what we take it for
  const watched = misses(warm, done);
  const counts = new Map<string, number>();
  for (const miss of watched) {
    const [kind, , , line, column, , , , name] = miss.split(',');
    const place = `${kind} of ${name} at ${line}:${column}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, count]) => count >= WATCHED * FREQUENT);
  return frequent.map((entry) => entry.join(': '));
}
