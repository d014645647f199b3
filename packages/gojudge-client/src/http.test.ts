// Answers of any size, from servers that need not be a go-judge.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { serve } from './fake-server.js';
import { GojudgeClient } from './node.js';

const MIB = 2 ** 20;
const RESULT = { status: 'Accepted', exitStatus: 0, time: 1, memory: 1, runTime: 1 };
let server: Server;
let url: string;
/** What it answers with; `null` is without end. */
let answer: { status: number; chunks: readonly Uint8Array[] | null };
/** Its answer was not taken to the end. */
let isCut: boolean;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.on('close', () => {
      isCut = !response.writableFinished;
    });
    response.writeHead(answer.status);
    for (const chunk of answer.chunks ?? []) response.write(chunk);
    if (answer.chunks !== null) return void response.end();
    const more = () => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  isCut = false;
});

const CHUNK = 'x'.repeat(65_536);
const endless = (status: number) => ({ status, chunks: null });
const results = (stdout: string) => JSON.stringify([{ ...RESULT, files: { stdout } }]);

test('a run whose answer has no end is an error that names the option', async () => {
  answer = endless(200);
  await using client = new GojudgeClient({ url, answerBytesMax: 10 * MIB });
  const expected = { code: 'GOJUDGE_OVERFLOW', message: expect.stringContaining('raise answerBytesMax') };
  await expect(client.run({ args: ['x'] })).rejects.toMatchObject(expected);
  await expect.poll(() => isCut).toBe(true);
  await expect(client.download('a')).rejects.toMatchObject(expected);
  await expect(client.list()).rejects.toMatchObject(expected);
});

test('an answer of more values than any server sends is none', async () => {
  const list = (count: number) => ({
    status: 200,
    chunks: [Buffer.from(`{${'"a":"b",'.repeat(count)}"a":"c"}`)],
  });
  await using client = new GojudgeClient({ url });
  answer = list(2 ** 20 - 2);
  expect(await client.list()).toEqual({ a: 'c' });
  answer = list(2 ** 20);
  await expect(client.list()).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL' });
});

test.each([301, 307])('an answer %d sends nothing to the address that it names', async (status) => {
  const asked: (string | undefined)[] = [];
  const other = await serve((request, response) => {
    asked.push(request.url);
    response.end('{}');
  });
  const { url } = await serve((request, response) => {
    request.resume();
    response.writeHead(status, { location: `${other.url}${request.url}` }).end();
  });
  await using client = new GojudgeClient({ url, token: 'secret' });
  for (const call of [
    () => client.run({ args: ['x'] }),
    () => client.list(),
    () => client.downloadStream('a'),
  ]) {
    const message = expect.stringContaining(`redirects to ${other.url}`);
    await expect(call()).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL', status, message });
  }
  expect(asked).toEqual([]);
});

test.each<[string, object]>([
  ['an error of a file that is none', { fileError: [null] }],
  ['an error of a file without a name', { fileError: [{ type: 'CopyOutOpen' }] }],
  ['a message that is no text', { fileError: [{ name: 'a', type: 'CopyOutOpen', message: {} }] }],
  ['a count that is none', { procPeak: '1' }],
  ['a file that is no text', { files: { a: 1 } }],
])('a result with %s is none', async (_, wrong) => {
  await using client = new GojudgeClient({ url });
  answer = { status: 200, chunks: [Buffer.from(JSON.stringify([{ ...RESULT, ...wrong }]))] };
  await expect(client.run({ args: ['x'] })).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL' });
});

test('an error without end is the error that it says in its beginning', async () => {
  answer = endless(500);
  await using client = new GojudgeClient({ url });
  const expected = { code: 'GOJUDGE_RUN', message: 'x'.repeat(500), status: 500 };
  await expect(client.run({ args: ['x'] })).rejects.toMatchObject(expected);
  await expect.poll(() => isCut).toBe(true);
});

test('what tells of a server is small', async () => {
  answer = endless(200);
  await using client = new GojudgeClient({ url });
  for (const call of [() => client.version(), () => client.config(), () => client.upload('x')])
    await expect(call()).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL' });
});

test('an answer of the bound is taken, in any chunks, and one of a byte more is not', async () => {
  const stdout = 'a\u00e9'.repeat(100_000);
  const bytes = Buffer.from(results(stdout));
  await using exact = new GojudgeClient({ url, answerBytesMax: bytes.length });
  await using less = new GojudgeClient({ url, answerBytesMax: bytes.length - 1 });
  for (const size of [bytes.length, 70_001, 997]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    answer = { status: 200, chunks };
    expect((await exact.run({ args: ['x'] })).stdout).toBe(stdout);
    expect(Buffer.compare(await exact.download('a'), bytes)).toBe(0);
    await expect(less.run({ args: ['x'] })).rejects.toMatchObject({ code: 'GOJUDGE_OVERFLOW' });
  }
});

test('a stream of a file has no bound', async () => {
  answer = endless(200);
  await using client = new GojudgeClient({ url, answerBytesMax: 1000 });
  let bytes = 0;
  for await (const chunk of await client.downloadStream('a')) {
    bytes += chunk.byteLength;
    if (bytes > 10 * MIB) break;
  }
  await expect.poll(() => isCut).toBe(true);
});
