/** Our client and our server, over a real socket. What the client does by itself is in its unit tests. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FathomClient } from '@sbx/fathom-client';
import { createFathomServer } from '@sbx/fathom-server';
import { describe, expect, it } from 'vitest';
import { until } from '../helpers/wait.js';
import { useServer } from './server.js';

const TOKEN = 'tokén €';
const target = useServer({ token: TOKEN });
const connect = (options: object = {}) => new FathomClient({ url: target.http, token: TOKEN, ...options });

describe('an execution', () => {
  it('has output, exit code, time and usage', async () => {
    await using client = connect();
    const code =
      'import os, sys\nprint(int(input()) + 1, os.environ["NAME"])\nprint("é", file=sys.stderr)\nsys.exit(3)';
    const result = await client.execute({ language: 'python', code, stdin: '41\n', env: { NAME: 'v' } });
    expect(result).toMatchObject({
      status: 'failed',
      ok: false,
      exitCode: 3,
      stdout: '42 v\n',
      stderr: 'é\n',
      usage: { cpuTimeMs: expect.any(Number), memoryPeakBytes: expect.any(Number) },
      truncated: false,
      outputLimitExceeded: false,
    });
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it('is read while it runs', async () => {
    await using client = connect();
    const kinds: string[] = [];
    let text = '';
    const execution = client.execute({ language: 'shell', code: 'echo one; read x || true; echo two' });
    for await (const event of execution) {
      if (event.kind === 'stdout') text += event.text;
      else kinds.push(event.kind);
    }
    expect([text, ...kinds]).toEqual(['one\ntwo\n', 'accepted', 'started', 'result']);
    expect((await execution).ok).toBe(true);
  });

  it('forty at once over one connection', async () => {
    await using client = connect();
    const runs = Array.from({ length: 40 }, (_, i) =>
      client.execute({ language: 'shell', code: `echo ${i}` }),
    );
    const results = await Promise.all(runs);
    expect(results.map(({ stdout }) => stdout)).toEqual(runs.map((_, i) => `${i}\n`));
  });

  it.each([
    ['timeout', { language: 'shell', code: 'sleep 60', limits: { timeoutMs: 200 } }],
    ['oom', { language: 'python', code: 'x = bytearray(10**9)', limits: { memoryBytes: 64 * 2 ** 20 } }],
    ['failed', { language: 'shell', code: 'yes', limits: { outputBytes: 1000 } }],
  ] as const)('ends as %s', async (status, request) => {
    await using client = connect();
    const result = await client.execute(request);
    expect([result.status, result.exitCode, result.outputLimitExceeded]).toEqual([
      status,
      null,
      status === 'failed',
    ]);
  });

  it('is cancelled by cancel() and by a signal', async () => {
    await using client = connect();
    const sleeper = { language: 'shell', code: 'sleep 60' };
    const first = client.execute(sleeper);
    const stop = new AbortController();
    const second = client.execute(sleeper, { signal: stop.signal });
    for await (const event of first) if (event.kind === 'started') first.cancel();
    expect((await first).status).toBe('cancelled');
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await until(2000, 'the server has nothing left', () => target.server.engine.counters().sandboxes === 0);
  });

  it('is refused with the server’s own code', async () => {
    await using client = connect();
    await expect(client.execute({ language: 'cobol', code: '' })).rejects.toMatchObject({
      code: 'FATHOM_REJECTED',
      wireCode: 'LANGUAGE_NOT_SUPPORTED',
      retryable: false,
    });
  });
});

describe('the connection', () => {
  it('a wrong token is said so', async () => {
    await using client = connect({ token: 'wrong' });
    await expect(client.connect()).rejects.toMatchObject({ code: 'FATHOM_UNAUTHORIZED', retryable: false });
  });

  it('without headers the token goes as a subprotocol', async () => {
    const script = fileURLToPath(new URL('../helpers/browser-client.mjs', import.meta.url));
    const args = ['--conditions=deno', script, target.url, TOKEN];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('hi\n');
  });

  it('ping tells the load', async () => {
    await using client = connect();
    const { load, roundTripMs } = await client.ping();
    expect(load).toEqual({ activeExecutions: 0, queueDepth: 0 });
    expect(roundTripMs).toBeLessThan(1000);
  });

  it('is made again when the server comes back', async () => {
    const options = { standby: {}, engine: target.server.engine };
    const first = await createFathomServer({ ...options, port: 0 });
    const [url] = (await first.listen()).urls as [string];
    await using client = new FathomClient({ url, reconnect: { firstMs: 20 } });
    await client.connect();
    const lost = client.execute({ language: 'shell', code: 'sleep 60' }).catch((error: unknown) => error);
    await until(2000, 'it runs', async () => (await client.ping()).load?.activeExecutions === 1);
    await first.close();
    expect(await lost).toMatchObject({ retryable: true });
    const second = await createFathomServer({ ...options, port: Number(new URL(url).port) });
    await second.listen();
    await until(5000, 'connected again', () => client.state === 'open');
    expect((await client.execute({ language: 'shell', code: 'echo back' })).stdout).toBe('back\n');
    await second.close();
  });
});
