import { ClusterEngine, startWorker, type Worker } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { FathomClient } from '@sbx/fathom-client';
import { createFathomServer } from '@sbx/fathom-server';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useNats } from './nats.js';

const nats = useNats();
let local: Engine;
let workers: Worker[];
let engine: ClusterEngine;

beforeAll(async () => {
  local = await Engine.open({ parallelism: 4 });
  const options = { servers: nats.url, engine: local, slots: 4, languages: [] };
  workers = [await startWorker(options), await startWorker(options)];
  engine = await ClusterEngine.open({ servers: nats.url });
}, 120_000);

afterAll(async () => {
  await engine.close();
  await Promise.all(workers.map((worker) => worker.close()));
  await local.close();
});

describe('spawn', () => {
  test('streams both ways, in order, and tells the end', async () => {
    const script = 'while read line; do echo "got $line"; done; echo bye >&2; exit 7';
    const process = await engine.spawn('sh', ['-c', script], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const lines: string[] = [];
    const reading = (async () => {
      for await (const line of process.stdout!.lines()) lines.push(line);
    })();
    for (const word of ['one', 'two', 'three']) await process.stdin!.write(`${word}\n`);
    await process.stdin!.end();
    const [result, errors] = await Promise.all([process.result, process.stderr!.text(), reading]);
    expect(lines).toEqual(['got one', 'got two', 'got three']);
    expect([errors, result.status, result.exitCode]).toEqual(['bye\n', 'exit', 7]);
    await expect(process.stdin!.write('more')).rejects.toMatchObject({ code: 'SBX_STREAM_ENDED' });
  });

  test('a reader that is slow slows the program: nothing piles up', async () => {
    const process = await engine.spawn('sh', ['-c', 'head -c 20000000 /dev/zero; echo written >&2'], {
      stdout: 'pipe',
      stderr: 'pipe',
    });
    let isWritten = false;
    const watching = (async () => {
      for await (const _chunk of process.stderr!) isWritten = true;
    })();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isWritten).toBe(false);
    let bytes = 0;
    for await (const chunk of process.stdout!) bytes += chunk.byteLength;
    await watching;
    expect([bytes, isWritten, (await process.result).status]).toEqual([20_000_000, true, 'ok']);
  });

  test('kill, usage and a terminal', async () => {
    const sleeping = await engine.spawn('sleep', ['30'], { stdout: 'pipe' });
    sleeping.kill('SIGINT');
    expect(await sleeping.result).toMatchObject({ status: 'killed', exitSignal: 'SIGINT' });
    const busy = await engine.spawn('sh', ['-c', 'while :; do :; done'], { stdout: 'pipe' });
    await expect.poll(() => busy.usage().cpuTimeMs, { timeout: 5000 }).toBeGreaterThan(50);
    await busy.close();
    expect((await busy.result).status).toBe('killed');
    const shell = await engine.spawn('sh', ['-c', 'read word; stty size; echo "$word"'], {
      pty: { cols: 90, rows: 33 },
    });
    await shell.stdin!.write('typed\n');
    expect(await shell.stdout!.text()).toBe('typed\r\n33 90\r\ntyped\r\n');
    await expect.poll(() => local.counters().sandboxes).toBe(0);
  });

  test('what cannot be started rejects, as on one machine', async () => {
    await expect(engine.spawn('no-such-program')).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
  });
});

test('createFathomServer serves a cluster unchanged', async () => {
  await using server = await createFathomServer({ engine, port: 0, languages: ['python', 'shell'] });
  const { urls } = await server.listen();
  await using client = new FathomClient({ url: urls[0]! });
  const execution = client.execute({
    language: 'python',
    code: 'print(input()[::-1])',
    stdin: 'over there\n',
  });
  const result = await execution;
  expect([result.status, result.stdout]).toEqual(['completed', 'ereht revo\n']);
  const slow = client.execute({ language: 'shell', code: 'echo begun; sleep 30' });
  setTimeout(() => slow.cancel(), 500);
  expect((await slow).status).toBe('cancelled');
  await expect.poll(() => local.counters().sandboxes).toBe(0);
});

test('createGojudgeServer serves a cluster unchanged, its files included', async () => {
  await using server = await createGojudgeServer({ engine, port: 0, parallelism: 16 });
  const { urls } = await server.listen();
  const post = async (path: string, body: unknown) => {
    const response = await fetch(urls[0]! + path, { method: 'POST', body: JSON.stringify(body) });
    return response.json() as Promise<Record<string, unknown>[]>;
  };
  const files = [{ content: '' }, { name: 'stdout', max: 10_240 }, { name: 'stderr', max: 10_240 }];
  const limits = { cpuLimit: 5e9, memoryLimit: 128 * 2 ** 20, procLimit: 50, env: ['PATH=/usr/bin:/bin'] };
  const [made] = await post('/run', {
    cmd: [
      {
        ...limits,
        files,
        args: ['/bin/sh', '-c', 'echo kept > a; echo said'],
        copyOutCached: ['a', 'stdout'],
      },
    ],
  });
  expect(made).toMatchObject({ status: 'Accepted', exitStatus: 0, fileIds: { a: expect.any(String) } });
  const { a, stdout } = made!.fileIds as Record<string, string>;
  expect(await (await fetch(`${urls[0]}/file/${stdout}`)).text()).toBe('said\n');
  const [used] = await post('/run', {
    cmd: [{ ...limits, files, args: ['/bin/cat', 'b'], copyIn: { b: { fileId: a } }, copyOut: ['stdout'] }],
  });
  expect(used).toMatchObject({ status: 'Accepted', files: { stdout: 'kept\n' } });
  const [late] = await post('/run', {
    cmd: [
      { ...limits, cpuLimit: 1e8, clockLimit: 5e9, files, args: ['/bin/sh', '-c', 'while :; do :; done'] },
    ],
  });
  expect(late).toMatchObject({ status: 'Time Limit Exceeded' });
  const piped = await post('/run', {
    cmd: [
      { ...limits, args: ['/bin/echo', 'piped'], files: [{ content: '' }, null, files[2]] },
      { ...limits, args: ['/bin/cat'], files: [null, files[1], files[2]], copyOut: ['stdout'] },
    ],
    pipeMapping: [{ in: { index: 0, fd: 1 }, out: { index: 1, fd: 0 } }],
  });
  expect(piped[1]).toMatchObject({ status: 'Accepted', files: { stdout: 'piped\n' } });
});
