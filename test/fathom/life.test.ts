// Sections 2 and 3 of the protocol's decisions: the life of an execution, and cancel.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../helpers/wait.js';
import { noSleepIsLeft, Talk, useServer } from './server.js';

const PLACES = 2;
const QUEUE = 2;
const served = useServer({ parallelism: PLACES, queueLength: QUEUE });
let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

const MB = 2 ** 20;

describe('ends', () => {
  test.each([
    ['python', 'print(input())'],
    ['javascript', "process.stdin.on('data', (data) => process.stdout.write(data))"],
    ['shell', 'read line; echo $line'],
    ['elixir', 'IO.write(IO.read(:line))'],
  ])('%s runs to its end: completed, exit code 0', async (language, code) => {
    const fate = await talk.run({ language, code, stdin: 'hello wörld\n' });
    expect(fate).toMatchObject({ sequence: 'ack running stdout completed result', stdout: 'hello wörld\n' });
    expect(fate.result).toMatchObject({ exit_code: 0 });
  });

  test.each([
    ['python', 'import sys; sys.exit(3)'],
    ['javascript', 'process.exit(3)'],
    ['shell', 'exit 3'],
    ['elixir', 'System.halt(3)'],
  ])('%s ends with 3: failed, with the code', async (language, code) => {
    const { status, result } = await talk.run({ language, code });
    expect([status, result!.exit_code]).toEqual(['failed', 3]);
  });

  test('a signal of its own: failed, and no code', async () => {
    const { status, result } = await talk.run({ code: 'kill -SEGV $$' });
    expect([status, result!.exit_code]).toEqual(['failed', null]);
  });

  test.each([
    ['python', 'def', /SyntaxError/],
    ['python', 'import nothing_of_that_name', /ModuleNotFoundError/],
    ['javascript', 'const', /SyntaxError/],
    ['shell', 'no_such_program_here', /not found/],
    ['elixir', 'def', /\(/],
  ])('%s: %s is an ordinary run that says so on stderr', async (language, code, text) => {
    const { status, stderr, result } = await talk.run({ language, code });
    expect(status).toBe('failed');
    expect(stderr).toMatch(text);
    expect(result!.exit_code).toBeGreaterThan(0);
  });

  test('the empty program does nothing', async () => {
    expect((await talk.run({ code: '' })).sequence).toBe('ack running completed result');
  });

  test('time limit: what it wrote, timeout, no code, a duration not below the limit, and the whole tree is dead', async () => {
    const code = 'echo before; sleep 7331 & sleep 7331';
    const fate = await talk.run({ code, limits: { timeout_ms: 300 } });
    expect(fate).toMatchObject({ sequence: 'ack running stdout timeout result', stdout: 'before\n' });
    expect(fate.result!.exit_code).toBeNull();
    expect(fate.result!.duration_ms).toBeGreaterThanOrEqual(300);
    await noSleepIsLeft();
  });

  test.each([
    ['python', 'x = bytearray(900_000_000)\nfor i in range(0, 900_000_000, 4096): x[i] = 1'],
    ['javascript', 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));'],
    ['shell', 'a=x; while :; do a=$a$a; done'],
    [
      'elixir',
      'Stream.iterate([0], fn all -> :binary.copy(<<1>>, 10_000_000) |> then(&[&1 | all]) end) |> Enum.at(100_000)',
    ],
  ])('memory limit in %s: oom', async (language, code) => {
    const fate = await talk.run({ language, code, limits: { memory_mb: 128 } });
    expect(fate.sequence).toMatch(/^ack running( stdout| stderr)* oom result$/);
    expect(fate.result!.exit_code).toBeNull();
  });

  test('a MemoryError that Python catches is no oom', async () => {
    const code = 'try:\n  raise MemoryError\nexcept MemoryError:\n  print("caught")';
    expect(await talk.run({ language: 'python', code })).toMatchObject({
      status: 'completed',
      stdout: 'caught\n',
    });
  });

  test('a child that outlives the program is killed with it, and output ends there', async () => {
    const fate = await talk.run({ code: '(sleep 1; echo late) & echo now' });
    expect(fate).toMatchObject({ status: 'completed', stdout: 'now\n' });
    expect(fate.result!.duration_ms).toBeLessThan(1000);
  });

  test('there is no network: the program sees an error', async () => {
    const code = 'import socket\nsocket.create_connection(("192.0.2.1", 80), 2)';
    const { status, stderr } = await talk.run({ language: 'python', code });
    expect(status).toBe('failed');
    expect(stderr).toMatch(/OSError|unreachable/);
  });

  test('usage is always there: time of the whole tree, and a peak', async () => {
    const code =
      'data = bytearray(60_000_000)\nfor i in range(0, len(data), 4096): data[i] = 1\nwhile __import__("time").process_time() < 0.2: pass';
    const { result } = await talk.run({ language: 'python', code });
    expect(result!.resource_usage!.cpu_time_ms).toBeGreaterThanOrEqual(200);
    expect(result!.resource_usage!.peak_memory_mb).toBeGreaterThanOrEqual(57);
    expect(result!.resource_usage!.peak_memory_mb).toBeLessThan(128);
  });
});

describe('the output limit', () => {
  const LIMIT = 100_000;

  test('one byte too many: exactly the limit is delivered, then OUTPUT_LIMIT, failed, no code', async () => {
    const fate = await talk.run({
      code: `head -c ${LIMIT + 1} /dev/zero | tr '\\0' x`,
      limits: { max_output_bytes: LIMIT },
    });
    expect(fate.sequence).toBe('ack running stdout error:OUTPUT_LIMIT failed result');
    expect(fate.stdout).toBe('x'.repeat(LIMIT));
    expect(fate.error).toMatchObject({ retryable: false });
    expect(fate.result!.exit_code).toBeNull();
  });

  test('exactly the limit is fine', async () => {
    const fate = await talk.run({
      code: `head -c ${LIMIT} /dev/zero | tr '\\0' x`,
      limits: { max_output_bytes: LIMIT },
    });
    expect(fate).toMatchObject({
      sequence: 'ack running stdout completed result',
      stdout: 'x'.repeat(LIMIT),
    });
  });

  test('both streams count together', async () => {
    const code = "head -c 60000 /dev/zero | tr '\\0' x; head -c 60000 /dev/zero | tr '\\0' y >&2; sleep 9";
    const fate = await talk.run({ code, limits: { max_output_bytes: LIMIT } });
    expect(fate.error?.code).toBe('OUTPUT_LIMIT');
    expect(fate.stdout.length + fate.stderr.length).toBe(LIMIT);
  });

  test('it counts raw bytes, and a character that is cut is left out', async () => {
    const fate = await talk.run({
      language: 'python',
      code: 'print("ab€€")',
      limits: { max_output_bytes: 7 },
    });
    expect(fate).toMatchObject({ stdout: 'ab€', status: 'failed' });
    expect(fate.error?.code).toBe('OUTPUT_LIMIT');
  });

  test('a flood is stopped at once', async () => {
    const fate = await talk.run({ code: 'yes', limits: { max_output_bytes: MB } });
    expect(fate.stdout.length).toBe(MB);
    expect(fate.result!.duration_ms).toBeLessThan(10_000);
  });

  test('without a limit of the client 1 MiB is', async () => {
    const fate = await talk.run({
      code: `head -c ${MB + 1} /dev/zero | tr '\\0' x`,
      limits: { max_output_bytes: null },
    });
    expect([fate.stdout.length, fate.error?.code]).toEqual([MB, 'OUTPUT_LIMIT']);
  });
});

describe('places and queue', () => {
  test('beyond places and queue: overloaded, retryable, without an ack; time in the queue does not count', async () => {
    const ids = Array.from({ length: PLACES + QUEUE }, () =>
      talk.start({ code: 'sleep 0.4', limits: { timeout_ms: 700 } }),
    );
    talk.ping('load');
    const refused = await talk.run({ code: '' });
    expect(refused).toMatchObject({ sequence: 'error:SANDBOX_OVERLOADED', error: { retryable: true } });
    const pong = await talk.until(({ type, id }) => type === 'pong' && id === 'load');
    expect(pong.load).toEqual({ active_executions: PLACES, queue_depth: QUEUE });
    const fates = await Promise.all(ids.map((id) => talk.fate(id)));
    expect(fates.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
    expect(fates.at(-1)!.result!.duration_ms).toBeLessThan(700);
    expect(served.server.load()).toEqual({ active: 0, waiting: 0 });
  });

  test('executions of one connection run side by side', async () => {
    const [slow, quick] = [talk.start({ code: 'sleep 5' }), talk.start({ code: 'echo quick' })];
    expect((await talk.fate(quick)).stdout).toBe('quick\n');
    expect(talk.of(slow).at(-1)!.status).not.toBe('completed');
    talk.cancel(slow);
    await talk.fate(slow);
  });
});

describe('cancel', () => {
  test('of a running one: killed at once, what was written is there, cancelled, no code, a real duration', async () => {
    const id = talk.start({ code: "trap '' TERM INT; echo before; sleep 0.3; echo more; sleep 7332" });
    await talk.until((message) => message.id === id && (message.data ?? '').includes('more'));
    const asked = performance.now();
    talk.cancel(id);
    const fate = await talk.fate(id);
    expect(performance.now() - asked).toBeLessThan(1000);
    expect(fate).toMatchObject({ sequence: 'ack running stdout cancelled result', stdout: 'before\nmore\n' });
    expect(fate.result!.exit_code).toBeNull();
    expect(fate.result!.duration_ms).toBeGreaterThanOrEqual(300);
    expect(fate.result!.resource_usage).toMatchObject({ cpu_time_ms: expect.any(Number) });
  });

  test('of a waiting one: cancelled, duration 0, it never runs', async () => {
    const running = Array.from({ length: PLACES }, () => talk.start({ code: 'sleep 5' }));
    await Promise.all(running.map((id) => talk.running(id)));
    const id = talk.start({ code: 'echo never' });
    talk.cancel(id);
    const fate = await talk.fate(id);
    expect(fate.sequence).toBe('ack cancelled result');
    expect(fate.result).toMatchObject({ exit_code: null, duration_ms: 0 });
    expect(fate.result).not.toHaveProperty('resource_usage');
    for (const one of running) talk.cancel(one);
    await Promise.all(running.map((one) => talk.fate(one)));
  });

  test('right behind the execute: one cancelled, one result', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = talk.start({ code: 'echo x; sleep 5' });
      talk.cancel(id);
      expect((await talk.fate(id)).status).toBe('cancelled');
    }
  });

  test('twice: the second has no answer of its own', async () => {
    const id = talk.start({ code: 'sleep 5' });
    await talk.running(id);
    talk.cancel(id);
    talk.cancel(id);
    await talk.fate(id);
    talk.ping('after twice');
    await talk.until((message) => message.id === 'after twice');
    expect(talk.of(id).filter(({ type }) => type === 'error')).toEqual([]);
  });

  test('of one that has ended, or never was: UNKNOWN_EXECUTION with the id, not retryable', async () => {
    const id = talk.start({ code: '' });
    await talk.fate(id);
    talk.cancel(id);
    talk.cancel('never was');
    const unknown = { type: 'error', code: 'UNKNOWN_EXECUTION', retryable: false };
    expect(await talk.until((message) => message.id === id && message.type === 'error')).toMatchObject(
      unknown,
    );
    expect(await talk.until((message) => message.id === 'never was')).toMatchObject(unknown);
  });

  test('an id belongs to its connection: others can use it too, and cannot touch ours', async () => {
    const other = await Talk.open(served.url);
    const id = talk.start({ code: 'sleep 0.5; echo mine' });
    await talk.running(id);
    other.cancel(id);
    expect(await other.next()).toMatchObject({ type: 'error', code: 'UNKNOWN_EXECUTION', id });
    const theirs = other.start({ id, code: 'echo theirs' });
    await other.until(({ type }) => type === 'result');
    expect(other.of(theirs).find(({ type }) => type === 'stdout')!.data).toBe('theirs\n');
    expect(await talk.fate(id)).toMatchObject({ status: 'completed', stdout: 'mine\n' });
    await other.close();
  });

  test('races the end: never two ends, never none', async () => {
    const other = await Talk.open(served.url);
    for (let round = 0; round < 60; round += 1) {
      const id = other.start({ code: 'echo x' });
      await other.running(id);
      await sleep(Math.random() * 6);
      other.cancel(id);
      const { sequence } = await other.fate(id);
      expect(sequence).toMatch(/^ack running( stdout)? (completed|cancelled) result$/);
    }
    other.ping('settled');
    await other.until(({ id }) => id === 'settled');
    // A cancel that came too late was told so, after the result.
    const ids = new Set(other.heard.map(({ id }) => id!).filter((id) => id !== 'settled'));
    for (const id of ids) {
      const messages = other.of(id);
      const after = messages.slice(messages.findIndex(({ type }) => type === 'result') + 1);
      const wasCancelled = messages.some(({ status }) => status === 'cancelled');
      expect(after.map(({ code }) => code)).toEqual(wasCancelled ? [] : ['UNKNOWN_EXECUTION']);
    }
    await other.close();
  });
});
