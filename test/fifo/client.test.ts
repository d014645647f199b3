// The client never hangs, and says what is wrong.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FifoClient, isFifoError, parseStatus } from '@sbx/fifo-client';
import { FifoManager, startFifoSandbox } from '@sbx/fifo-protocol/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { execute, managed, shell } from '../helpers/fifo.js';
import { settledFootprint } from '../helpers/leaks.js';
import { timed, until } from '../helpers/wait.js';
import { buildPrograms } from '../programs/build.mjs';

const suite = useEngine();

describe('a directory without a manager', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'sbx-fifo-test-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const fails = async (code: string, options = {}) => {
    const { value, ms } = await timed(() => new FifoClient(dir).wait(options).catch((error) => error));
    expect(isFifoError(value)).toBe(true);
    expect(value).toMatchObject({ code, name: 'FifoError' });
    expect(value.message).toContain(dir);
    return ms;
  };

  test('nothing in it', async () => {
    await fails('SBX_FIFO_GONE');
  });

  test('half removed', async () => {
    execFileSync('mkfifo', [join(dir, 'status')]);
    await fails('SBX_FIFO_GONE');
  });

  test('the pipes are there, and nobody reads', async () => {
    execFileSync('mkfifo', [join(dir, 'status'), join(dir, 'wait')]);
    await fails('SBX_FIFO_NO_MANAGER');
  });

  test('something else under the names', async () => {
    execFileSync('mkfifo', [join(dir, 'status')]);
    writeFileSync(join(dir, 'wait'), '');
    await fails('SBX_FIFO_NOT_A_PIPE');
  });

  test('a manager that takes the request and dies', async () => {
    execFileSync('mkfifo', [join(dir, 'status'), join(dir, 'wait')]);
    const reader = spawn('head', ['-c', '1', 'wait'], { cwd: dir, stdio: 'ignore' });
    // A FIFO without a reader refuses a writer that does not wait.
    await until(2000, 'a reader', () =>
      shell(dir, 'timeout 0.1 sh -c ": > wait"').then(
        () => true,
        () => false,
      ),
    );
    const ms = await fails('SBX_FIFO_NO_MANAGER');
    expect(ms).toBeLessThan(1000);
    reader.kill();
  });

  test('a manager that never answers', async () => {
    execFileSync('mkfifo', [join(dir, 'status'), join(dir, 'wait')]);
    const reader = spawn('sh', ['-c', 'exec 3<> wait; sleep 10'], { cwd: dir, stdio: 'ignore' });
    await until(2000, 'a reader', () =>
      shell(dir, 'timeout 0.1 sh -c ": > wait"').then(
        () => true,
        () => false,
      ),
    );
    const ms = await fails('SBX_FIFO_TIMEOUT', { requestTimeoutMs: 150 });
    expect(ms).toBeGreaterThanOrEqual(145);
    expect(ms).toBeLessThan(400);
    const aborted = new FifoClient(dir).wait({ signal: AbortSignal.timeout(50) });
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
    const client = new FifoClient(dir);
    const waiting = client.wait();
    await client.close();
    await expect(waiting).rejects.toMatchObject({ code: 'SBX_FIFO_CLOSED' });
    reader.kill();
  });

  test('somebody writes nonsense into status', async () => {
    execFileSync('mkfifo', [join(dir, 'status'), join(dir, 'wait')]);
    const reader = spawn('bash', ['-c', 'exec 3<> wait; read -r -N1 <&3; echo hello > status'], {
      cwd: dir,
      stdio: 'ignore',
    });
    await until(2000, 'a reader', () =>
      shell(dir, 'timeout 0.1 sh -c ": > wait"').then(
        () => true,
        () => false,
      ),
    );
    const asked = new FifoClient(dir).wait({ requestTimeoutMs: 3000 });
    await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/BAD_REPLY/) });
    reader.kill();
  });
});

test('wrong use is refused', async () => {
  expect(() => new FifoClient('')).toThrow(expect.objectContaining({ code: 'SBX_FIFO_INVALID_OPTIONS' }));
  expect(() => new FifoClient('/x', { timeout: 1 } as object)).toThrow(/timeout is not known/);
  await expect(new FifoClient('/x').wait({ requestTimeoutMs: 0 })).rejects.toThrow(
    /requestTimeoutMs must be/,
  );
  await expect(FifoManager.open(() => Promise.reject(), { graceMs: -1 })).rejects.toThrow(/graceMs must be/);
});

test('nothing is asked after the last call, by nobody', async () => {
  await managed(suite.engine, [t('sleep-ms'), '60000'], async ({ dir, client }) => {
    const other = new FifoClient(dir);
    const told = ({ status }: { status: string }) => status;
    // The protocol has room for one last call: of two at the same instant one may only learn that all is
    // over.
    const outcomes = await Promise.all(
      [client, other].map((one) => one.terminate().then(told, ({ code }) => code)),
    );
    expect(outcomes).toContain('process killed (forced termination)');
    for (const outcome of outcomes) expect(outcome).toMatch(/^(process killed|SBX_FIFO_GONE)/);
    await expect(client.wait()).rejects.toMatchObject({ code: 'SBX_FIFO_TERMINATED' });
    await expect(new FifoClient(dir).wait()).rejects.toMatchObject({ code: 'SBX_FIFO_GONE' });
  });
});

test('descriptors do not pile up', async () => {
  await managed(suite.engine, [t('sleep-ms'), '60000'], async ({ client }) => {
    await client.wait();
    // The sandbox of the test before may be made anew still.
    const before = (await settledFootprint()).descriptors.size;
    for (let i = 0; i < 200; i += 1) await client.wait();
    expect((await settledFootprint()).descriptors.size).toBe(before);
  });
});

test('a client in a process of its own, with its loop blocked while the reply comes', async () => {
  await managed(suite.engine, [t('sleep-ms'), '60000'], async ({ dir }) => {
    const script = `
      import { FifoClient } from '@sbx/fifo-client';
      const asked = new FifoClient(process.argv[1]).wait({ requestTimeoutMs: 100 });
      setImmediate(() => { for (const end = Date.now() + 300; Date.now() < end; ); });
      console.log((await asked).status);`;
    const out = await execute(process.execPath, ['--input-type=module', '--eval', script, dir]);
    expect(out).toBe('process running normally\n');
  });
});

test('startFifoSandbox: pipes, files, and everything closed at the end', async () => {
  const sandbox = { files: { 'main.sh': 'while read n; do echo $((n * 2)); done' } };
  const fifo = await startFifoSandbox(suite.engine, 'sh', ['main.sh'], { sandbox, pipes: true });
  const client = new FifoClient(fifo.dir);
  const out = await shell(
    fifo.dir,
    'exec 3> downward 4< upward; echo 21 >&3; read x <&4; exec 3>&-; cat <&4; echo $x',
  );
  expect(out).toBe('42\n');
  await until(1000, 'its end', async () => (await client.wait()).memoryBytes === 0);
  expect((await client.terminate()).status).toBe('process terminated normally');
  await fifo.finished;
  expect(suite.engine.counters().sandboxes).toBe(0);
  expect(existsSync(fifo.dir)).toBe(false);
});

test('startFifoSandbox: a last call before the program has started', async () => {
  const fifo = FifoManager.open(() => new Promise(() => undefined));
  const { dir } = await fifo;
  const client = new FifoClient(dir);
  expect(await client.wait()).toEqual({ cpuTimeUs: 0, memoryBytes: 0, status: 'process starting' });
  expect((await client.terminate()).status).toBe('process not started; ended before the start');
});

test('the evaluator of the docs: a section, a checkpoint, and a crash told from a broken promise', async () => {
  const fifo = await startFifoSandbox(suite.engine, t('obey'), [], { pipes: true });
  const client = new FifoClient(fifo.dir);
  const { stdin, stdout } = client.streams();
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  async function ask(line: string): Promise<string> {
    stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (!done) return value;
    throw new Error(`The program stopped producing output (${(await client.wait()).status})`);
  }
  expect(await ask('hold 20000000')).toBe('ok');
  expect(await client.checkpoint('index built', { maxMemoryBytes: 10e6 })).toMatchObject({ ok: false });
  const { value, cpuTimeUs } = await client.measure(() => ask('burn 10'));
  expect(value).toBe('ok');
  expect(cpuTimeUs).toBeGreaterThan(9500);
  await expect(ask('raise 11')).rejects.toThrow(
    'The program stopped producing output (process interrupted by signal 11)',
  );
  const last = await client.terminate();
  expect(parseStatus(last.status)).toEqual({ state: { kind: 'interrupted', signal: 11 }, remarks: [] });
  stdin.destroy();
  await fifo.finished;
});

test('one process more than the engine has room for is refused by name when it starts', async () => {
  await withEngine({ maxSandboxes: 2, parallelism: 1, readyCount: 0 }, async (engine) => {
    const start = () => startFifoSandbox(engine, t('sleep-ms'), ['60000']);
    const managers = [await start(), await start()];
    await expect(start()).rejects.toMatchObject({
      code: 'SBX_OVERLOADED',
      retryable: true,
      message: expect.stringMatching(/maxSandboxes/),
    });
    await Promise.all(managers.map((manager) => manager.close()));
    await (await start()).close();
  });
});

test('without pipes there are no streams', async () => {
  await managed(suite.engine, [t('sleep-ms'), '60000'], async ({ client }) => {
    expect(() => client.streams()).toThrow(expect.objectContaining({ code: 'SBX_FIFO_GONE' }));
  });
});

test('two clients without a time-out that share a directory: neither hangs for long', async () => {
  await managed(suite.engine, [t('sleep-ms'), '60000'], async ({ dir }) => {
    const many = () => execute(join(buildPrograms(), 'fifo-ask'), ['1', '300', dir]);
    await Promise.all([many(), many()]);
  });
});
