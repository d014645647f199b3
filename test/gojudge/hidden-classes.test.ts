// On the path of a request every object has a hidden class that V8 has seen before. One that is new each time
// costs a microsecond wherever a property of it is used: with `{ ...first, more }` there were fifty such
// places.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { cmd, post } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-classes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WARM_UP = 1500;
const WATCHED = 400;

async function ask(url: string, count: number): Promise<void> {
  const body = JSON.stringify({ cmd: [cmd(['/bin/true'])] });
  const loop = async () => {
    for (let i = 0; i < count / 4; i++) expect(await (await post(url, body)).text()).toContain('Accepted');
  };
  await Promise.all(Array.from({ length: 4 }, loop));
}

/**
 * Cache misses in V8's log before the server marked the end of the warm-up, and from there to the end of the
 * requests.
 */
function missesIn(log: string): { before: number; between: number } {
  const lines = readFileSync(log, 'utf8').split('\n');
  const warm = lines.findIndex((line) => line.includes('warm_up_is_over'));
  const done = lines.findIndex((line) => line.includes('requests_are_over'));
  expect(done).toBeGreaterThan(warm);
  const misses = (from: number, to: number) =>
    lines.slice(from, to).filter((line) => /^\w+IC,/.test(line)).length;
  return { before: misses(0, warm), between: misses(warm, done) };
}

test('a server that has served some hundred requests makes no more of them', async () => {
  const log = join(folder, 'v8.log');
  const flags = ['--log-ic', `--logfile=${log}`, '--no-logfile-per-isolate'];
  const child = spawn(process.execPath, [...flags, 'test/helpers/logged-server.mjs'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const answers = createInterface({ input: child.stdout });
  const mark = async (name: string) => {
    child.stdin.write(`${name}\n`);
    expect(await once(answers, 'line')).toEqual([name]);
  };
  try {
    const [url] = (await once(answers, 'line')) as [string];
    await ask(url, WARM_UP);
    await mark('warm_up_is_over');
    await ask(url, WATCHED);
    await mark('requests_are_over');
    child.kill('SIGTERM');
    await ended;
    const misses = missesIn(log);
    expect(misses.before).toBeGreaterThan(1000); // the log is what we take it for
    expect(misses.between).toBeLessThan(WATCHED / 4);
  } finally {
    child.kill('SIGKILL');
  }
}, 60_000);
