// Sections 6 and 7: output as it is produced, text that is always valid, back pressure; and the result.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep, until } from '../helpers/wait.js';
import { Talk, useServer } from './server.js';

const STALL_MS = 1500;
const served = useServer({ parallelism: 8, stallMs: STALL_MS });
/** Pings come oftener than anything is given up. */
const pinging = useServer({ parallelism: 2, stallMs: STALL_MS, pingMs: 200 }, () => served.server.engine);
let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

const python = (code: string, more: object = {}) => ({ language: 'python', code, ...more });
const MB = 2 ** 20;

describe('text', () => {
  test('characters that are cut between two writes come whole; each message is valid by itself', async () => {
    const code = `import os, time
for byte in "a€👩‍🚀é\\n".encode(): os.write(1, bytes([byte])); time.sleep(0.025)`;
    const { stdout, messages } = await talk.run(python(code));
    expect(stdout).toBe('a€👩‍🚀é\n');
    for (const { data = '' } of messages) expect(data).not.toMatch(/�|\p{Surrogate}/u);
  });

  test('the two streams are decoded apart', async () => {
    const code = `import os, time
for byte in "€".encode(): os.write(1, bytes([byte])); os.write(2, bytes([byte])); time.sleep(0.025)`;
    expect(await talk.run(python(code))).toMatchObject({ stdout: '€', stderr: '€' });
  });

  test('what is no UTF-8 becomes U+FFFD, one for each maximal bad piece, also at the end', async () => {
    const code = String.raw`import os; os.write(1, b"a\xff\xfeb\xe2\x82c\xed\xa0\x80d\xf0\x9f\x92")`;
    expect((await talk.run(python(code))).stdout).toBe('a��b�c���d�');
  });

  test('control characters, NUL, a byte order mark, line ends and U+2028 stay as they are', async () => {
    const text = '\ufeff\0\u0001\u001b[1m\r\n\t\u007f\u2028"\\\n';
    const code = `import sys; sys.stdout.buffer.write(bytes(${JSON.stringify([...Buffer.from(text)])}))`;
    expect((await talk.run(python(code))).stdout).toBe(text);
  });
});

describe('chunks', () => {
  test.each([
    ['python', 'import time\nprint("now", end="")\ntime.sleep(3)'],
    ['javascript', 'process.stdout.write("now"); setTimeout(() => 0, 3000)'],
    ['shell', 'printf now; sleep 3'],
    ['elixir', 'IO.write("now"); Process.sleep(3000)'],
  ])('%s: what was written shows while the program goes on', async (language, code) => {
    const id = talk.start({ language, code });
    await talk.until((message) => message.id === id && message.data === 'now');
    expect(talk.of(id).at(-1)!.type).toBe('stdout');
    talk.cancel(id);
    await talk.fate(id);
  });

  test('small writes are joined, for about 20 ms and not until the end', async () => {
    const code = 'import os, time\nend = time.time() + 0.5\nwhile time.time() < end: os.write(1, b"x")';
    const { messages, stdout } = await talk.run(python(code));
    const chunks = messages.filter(({ type }) => type === 'stdout');
    expect(stdout.length).toBeGreaterThan(1000);
    expect(chunks.length).toBeGreaterThan(8);
    expect(chunks.length).toBeLessThan(40);
  });

  test('large output comes in pieces of at most 64 KiB, in order within each stream', async () => {
    const code = `import sys, threading
def write(stream, count):
  for at in range(count): stream.write(f"{at}\\n")
threading.Thread(target=write, args=(sys.stderr, 100000)).start()
write(sys.stdout, 200000)`;
    const fate = await talk.run({
      language: 'python',
      code,
      env: { PYTHONUNBUFFERED: '' },
      limits: { max_output_bytes: 8 * MB },
    });
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at}\n`).join('');
    expect(fate.stdout === numbers(200_000)).toBe(true);
    expect(fate.stderr === numbers(100_000)).toBe(true);
    for (const { data = '' } of fate.messages) expect(data.length).toBeLessThanOrEqual(65_536);
  });

  test('many megabytes arrive whole', async () => {
    const line = 'some text of a program, 64 bytes with its line end, again & again\n';
    const total = 48 * MB;
    const { stdout, status } = await talk.run({
      code: `yes '${line.trim()}' | head -c ${total}`,
      limits: { max_output_bytes: 64 * MB },
    });
    expect([status, stdout.length]).toEqual(['completed', total]);
    expect(stdout === line.repeat(Math.ceil(total / line.length)).slice(0, total)).toBe(true);
  });
});

describe('a client that does not read', () => {
  const flood = { code: 'yes', limits: { max_output_bytes: 64 * MB, timeout_ms: 60_000 } };

  test('stops its programs, loses nothing, and holds little memory here', async () => {
    const slow = await Talk.open(served.url);
    const before = process.memoryUsage.rss();
    const ids = Array.from({ length: 4 }, () =>
      slow.start({ code: `seq 1 2000000`, limits: { max_output_bytes: 64 * MB, timeout_ms: 60_000 } }),
    );
    await Promise.all(ids.map((id) => slow.running(id)));
    slow.socket.pause();
    await sleep(STALL_MS / 2);
    expect(process.memoryUsage.rss() - before).toBeLessThan(60 * MB);
    expect(served.server.load().active).toBe(4);
    slow.socket.resume();
    const wanted = Array.from({ length: 2_000_000 }, (_, at) => `${at + 1}\n`).join('');
    for (const id of ids) expect((await slow.fate(id)).stdout === wanted).toBe(true);
    await slow.close();
  });

  test('and never reads again: disconnected, its programs are gone', async () => {
    const stuck = await Talk.open(served.url);
    const id = stuck.start(flood);
    await stuck.running(id);
    stuck.socket.pause();
    const since = performance.now();
    await until(20_000, 'its place is free', () => served.server.load().active === 0);
    expect(performance.now() - since).toBeGreaterThan(STALL_MS * 0.8);
    stuck.socket.terminate();
  });

  test('the same when pings are on their way to it too: they are no progress', async () => {
    const stuck = await Talk.open(pinging.url);
    const id = stuck.start(flood);
    await stuck.running(id);
    stuck.socket.pause();
    await until(STALL_MS * 4, 'its place is free', () => pinging.server.load().active === 0);
    stuck.socket.terminate();
  });

  test('reads slowly but goes on reading: stays', async () => {
    const slow = await Talk.open(served.url);
    slow.start({ ...flood, code: `head -c ${32 * MB} /dev/zero | tr '\\0' x`, id: 'slow' });
    for (let round = 0; round < 12; round += 1) {
      slow.socket.pause();
      await sleep(STALL_MS / 4);
      const before = slow.bytes;
      slow.socket.resume();
      // As much as the kernel tells the sender of: it keeps small room to itself (a sixteenth of its buffer).
      await slow.until(() => slow.bytes >= before + MB, `round ${round}: another megabyte`);
    }
    expect((await slow.fate('slow')).stdout.length).toBe(32 * MB);
    await slow.close();
  });

  test('makes nobody else wait: status, pong and output of others', async () => {
    const stuck = await Talk.open(served.url);
    const id = stuck.start(flood);
    await stuck.running(id);
    stuck.socket.pause();
    const before = performance.now();
    expect((await talk.run({ code: 'echo others' })).stdout).toBe('others\n');
    expect(performance.now() - before).toBeLessThan(1000);
    stuck.socket.terminate();
  });
});

test('a program that floods does not hold up pong and the other executions of its connection', async () => {
  const id = talk.start({ code: 'yes', limits: { max_output_bytes: 64 * MB, timeout_ms: 60_000 } });
  await talk.running(id);
  for (let round = 0; round < 5; round += 1) {
    const before = performance.now();
    talk.ping(`flood ${round}`);
    await talk.until((message) => message.id === `flood ${round}`);
    expect(performance.now() - before).toBeLessThan(500);
  }
  expect((await talk.run({ code: 'echo beside' })).stdout).toBe('beside\n');
  talk.cancel(id);
  expect((await talk.fate(id)).sequence).toMatch(/cancelled result$|OUTPUT_LIMIT failed result$/);
});

test('the result has the fields of the specification and no others', async () => {
  const { result } = await talk.run({ code: 'sleep 0.2' });
  expect(Object.keys(result!).sort()).toEqual([
    'duration_ms',
    'exit_code',
    'id',
    'resource_usage',
    'ts',
    'type',
    'v',
  ]);
  expect(Object.keys(result!.resource_usage!).sort()).toEqual(['cpu_time_ms', 'peak_memory_mb']);
  expect(Number.isInteger(result!.duration_ms)).toBe(true);
  expect(result!.duration_ms).toBeGreaterThanOrEqual(200);
  expect(result!.duration_ms).toBeLessThan(2000);
});
