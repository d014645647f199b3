// On the path of a request every object has a hidden class that V8 has seen before. One that is new each time costs a
// microsecond wherever a property of it is used: with `{ ...first, more }` there were fifty such places.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { cmd, post } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-classes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WARM_UP = 1500;
const WATCHED = 400;
/** More than V8's clock may be behind ours. */
const CLOCKS_APART_MS = 300;

async function ask(url: string, count: number): Promise<void> {
  const body = JSON.stringify({ cmd: [cmd(['/bin/true'])] });
  const loop = async () => {
    for (let i = 0; i < count / 4; i++) expect(await (await post(url, body)).text()).toContain('Accepted');
  };
  await Promise.all(Array.from({ length: 4 }, loop));
}

/** Times of the cache misses that V8 tells, in ms since its start. */
function missesIn(log: string): number[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => /^\w+IC,/.test(line)).map((line) => Number(line.split(',')[2]) / 1000);
}

test('a server that has served some hundred requests makes no more of them', async () => {
  const log = join(folder, 'v8.log');
  const flags = ['--log-ic', `--logfile=${log}`, '--no-logfile-per-isolate'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...flags, 'test/helpers/logged-server.mjs'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    await ask(url, WARM_UP);
    const warmAt = performance.now() - startedAt; // V8's own clock starts a little later
    await ask(url, WATCHED);
    const doneAt = performance.now() - startedAt;
    await sleep(CLOCKS_APART_MS); // what closing does is not looked at
    child.kill('SIGTERM');
    await ended;
    const misses = missesIn(log);
    expect(misses.filter((at) => at < warmAt).length).toBeGreaterThan(1000); // the log is what we take it for
    expect(misses.filter((at) => at > warmAt && at < doneAt).length).toBeLessThan(WATCHED / 4);
  } finally {
    child.kill('SIGKILL');
  }
}, 60_000);
