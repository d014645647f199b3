// `-compat strict`: go-judge's literal behaviour where a correct client can observe ours.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { runningPrograms } from '../helpers/running.js';
import { cmd, post, useServer } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-strict-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Results = {
  status: string;
  error?: string;
  fileError?: { type: string }[];
  files?: Record<string, string>;
}[];
const run = async (server: { url: string }, ...cmds: object[]) =>
  (await (await post(server.url, { cmd: cmds })).json()) as Results;

const impossible = cmd(['/bin/cat', 'a'], {
  copyIn: { a: { content: 'there' }, '/usr/nowhere/b': { content: 'x' } },
});
/** Ends between its clock limit and the next look, half a second from both. */
const late = cmd(['/bin/sleep', '1.5'], { clockLimit: 1_020_000_000 });
const failing = { cmd: [cmd(['/bin/true'], { files: [{ fileId: 'ABCDEFGH' }] })] };

async function endOfStream({ url }: { url: string }, request: object) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stream`);
  await once(socket, 'open');
  const answers: string[] = [];
  socket.on('message', (data: Buffer) => answers.push(data.subarray(1).toString()));
  socket.send(Buffer.concat([Buffer.of(1), Buffer.from(JSON.stringify(request))]));
  const [code] = (await once(socket, 'close')) as [number];
  return { code, answer: JSON.parse(answers.at(-1)!) as { error?: string } };
}

describe('without', () => {
  const server = useServer();

  test('copyIn to a path that cannot be made is a file error', async () => {
    const [result] = await run(server, impossible);
    expect(result).toMatchObject({ status: 'File Error', fileError: [{ type: 'CopyInCreateFile' }] });
  });

  test('a clock limit strikes at once', async () => {
    expect(await run(server, late)).toMatchObject([{ status: 'Time Limit Exceeded', exitStatus: 9 }]);
  });

  test('/stream ends with a close frame, and says why a request failed', async () => {
    expect((await endOfStream(server, { cmd: [cmd(['/bin/true'])] })).code).toBe(1000);
    expect((await endOfStream(server, failing)).answer.error).toMatch(/^file does not exists/);
  });
});

describe('strict', () => {
  const server = useServer({ compat: 'strict', timeLimitCheckerIntervalMs: 1000 });

  test('of /etc there is what go-judge shows', async () => {
    const [result] = await run(server, cmd(['/bin/sh', '-c', 'cd /etc && echo java*']));
    expect(result?.files?.stdout).toBe('java*\n');
  });

  test('copyIn to a path that cannot be made is skipped', async () => {
    const [result] = await run(server, impossible);
    expect(result).toMatchObject({ status: 'Accepted', files: { stdout: 'there' } });
    expect(result!.fileError).toBeUndefined();
  });

  test('a clock limit strikes at the next look', async () => {
    expect(await run(server, late)).toMatchObject([{ status: 'Accepted' }]);
    const [killed] = await run(server, cmd(['/bin/sleep', '9'], { clockLimit: 1_020_000_000 }));
    expect(killed).toMatchObject({ status: 'Time Limit Exceeded', exitStatus: 9 });
  });

  test('/stream just ends, and the reason of a failure is lost', async () => {
    expect((await endOfStream(server, { cmd: [cmd(['/bin/true'])] })).code).toBe(1006);
    expect((await endOfStream(server, failing)).answer).toEqual({ requestId: '', results: [] });
  });
});

test.each([
  ['default', 'name.txt'],
  ['strict', ''],
] as const)('names of stored files after a restart: %s', async (compat, name) => {
  const options = { httpAddr: '127.0.0.1:0', dir: join(folder, compat), compat };
  const form = new FormData();
  form.append('file', new Blob(['x']), 'name.txt');
  const first = await createGojudgeServer(options);
  const { urls } = await first.listen();
  const id = (await (await fetch(`${urls[0]}/file`, { method: 'POST', body: form })).json()) as string;
  await first.close();
  await using second = await createGojudgeServer(options);
  const again = await second.listen();
  expect(await (await fetch(`${again.urls[0]}/file`)).json()).toEqual({ [id]: name });
});

test.each([
  ['default', '1'],
  ['strict', null],
] as const)('Retry-After of a full queue: %s', async (compat, header) => {
  await using server = await createGojudgeServer({
    httpAddr: '127.0.0.1:0',
    parallelism: 1,
    queueLength: 0,
    compat,
  });
  const { urls } = await server.listen();
  const first = post(urls[0]!, { cmd: [cmd(['/bin/sleep', '1'])] });
  await runningPrograms('sleep');
  const refused = await post(urls[0]!, { cmd: [cmd(['/bin/true'])] });
  expect([refused.status, await refused.json(), refused.headers.get('retry-after')]).toEqual([
    500,
    'worker queue is full',
    header,
  ]);
  await first;
});
