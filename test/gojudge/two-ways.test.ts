// A plain request goes past Node's HTTP server, and the same request with one more header through it. The
// client sees no difference.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runningPrograms } from '../helpers/running.js';
import { until } from '../helpers/wait.js';
import { cmd, post, useServer } from './server.js';

// Two programs at once: with the queue, room for each of four clients.
const server = useServer({ token: 's3cret', queueLength: 2, enableMetrics: true });
const TOKEN = 'Authorization: Bearer s3cret\r\n';
/** Not in the table of plain headers. */
const ODD = 'Odd: 1\r\n';

/** A whole answer of the server: read up to the length it says, or its last chunk. */
class Client {
  readonly socket: Socket;
  #text = '';

  constructor() {
    const { hostname, port } = new URL(server.url);
    this.socket = connect(Number(port), hostname).on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1');
    });
  }

  async ask(request: string): Promise<string> {
    this.#text = '';
    this.socket.write(request, 'latin1');
    await until(30_000, 'a whole answer', () => isWhole(this.#text));
    return this.#text;
  }
}

function isWhole(text: string): boolean {
  const bodyAt = text.indexOf('\r\n\r\n') + 4;
  if (bodyAt < 4) return false;
  const length = /\r\nContent-Length: (\d+)\r\n/.exec(text)?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= bodyAt + Number(length);
}

function ask(method: string, path: string, headers: string, body?: string): string {
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}${length}\r\n${Buffer.from(body ?? '').toString('latin1')}`;
}

/** Without what differs from run to run. */
function settled(answer: string): string {
  const isChunked = answer.includes('\r\nTransfer-Encoding: chunked\r\n');
  const head = answer.slice(0, answer.indexOf('\r\n\r\n') + 4);
  return (isChunked ? head + withoutFrames(answer) : answer)
    .replace(/Date: [^\r]*/, 'Date')
    .replace(/"(time|memory|runTime|procPeak)":\d+/g, '"$1"')
    .replace(/Content-Length: \d+\r\n(?=[\s\S]*"runTime")/, '');
}

/** The body of an answer in chunks. */
function withoutFrames(text: string): string {
  let body = '';
  for (let at = text.indexOf('\r\n\r\n') + 4; ; ) {
    const end = text.indexOf('\r\n', at);
    const bytes = Number.parseInt(text.slice(at, end), 16);
    if (bytes === 0) return body;
    body += text.slice(end + 2, end + 2 + bytes);
    expect(text.slice(end + 2 + bytes, end + 4 + bytes)).toBe('\r\n');
    at = end + 4 + bytes;
  }
}

const run = (body: object | string, headers = TOKEN) =>
  [headers, 'POST', '/run', typeof body === 'string' ? body : JSON.stringify(body)] as const;
const collecting = (script: string, max: number) =>
  cmd(['/bin/sh', '-c', script], { files: [{ content: '' }, { name: 'stdout', max }] });

type Row = [name: string, headers: string, method: string, path: string, body: string | undefined];

describe('the same bytes', () => {
  test.each<Row>([
    ['a program', ...run({ cmd: [cmd(['/bin/echo', 'hi'])] })],
    ['letters beyond ASCII', ...run({ cmd: [cmd(['/bin/echo', 'ü – 漢 \u{1f600} <&>'])] })],
    ['two programs', ...run({ cmd: [cmd(['/bin/true']), cmd(['/bin/false'])] })],
    ['a program that is not there', ...run({ cmd: [cmd(['/nothing'])] })],
    ['an answer in chunks', ...run({ cmd: [collecting('yes ü | head -c 3000000', 4_000_000)] })],
    ['a body of nearly 64 KiB', ...run({ cmd: [cmd(['/bin/true', 'x'.repeat(60_000)])] })],
    ['no program', ...run({ cmd: [] })],
    ['no JSON', ...run('hello')],
    ['half of it', ...run('{"cmd":[')],
    ['an empty body', ...run('')],
    ['a wrong type', ...run({ cmd: [{ cpuLimit: 'x' }] })],
    ['a file that is not stored', ...run({ cmd: [cmd(['/bin/true'], { files: [{ fileId: 'NONE' }] })] })],
    ['no token', ...run({ cmd: [] }, '')],
    ['another token', ...run({ cmd: [] }, TOKEN.replace('s3', 's4'))],
    ['a list of files', TOKEN, 'GET', '/file', undefined],
    ['a deletion of nothing', TOKEN, 'DELETE', '/file/NONE', undefined],
    ['the version, without a token', '', 'GET', '/version', undefined],
    ['the configuration, without a token', '', 'GET', '/config', undefined],
    ['nothing there', TOKEN, 'GET', '/nothing', undefined],
    ['nothing there, without a token', '', 'GET', '/nothing', undefined],
    ['a slash too many', TOKEN, 'GET', '/file/', undefined],
    ['a socket without an upgrade', TOKEN, 'GET', '/ws', undefined],
    ['a download of nothing', TOKEN, 'GET', '/file/NONE', undefined],
  ])('%s', async (_, ...request) => {
    const [headers, method, path, body] = request;
    const client = new Client();
    const plain = await client.ask(ask(method, path, headers, body));
    const byNode = await client.ask(ask(method, path, headers + ODD, body));
    expect(settled(plain)).toBe(settled(byNode));
    expect(await client.ask(ask(method, path, headers, body)).then(settled)).toBe(settled(byNode));
    client.socket.destroy();
  });

  test('a full queue', async () => {
    const sleeping = { cmd: [cmd(['/bin/sleep', '1'])] };
    const others = [1, 2, 3, 4].map(() =>
      post(server.url, sleeping, { headers: { Authorization: 'Bearer s3cret' } }),
    );
    await runningPrograms('sleep', 2);
    await sleep(50); // the others wait
    const answers = await Promise.all(
      ['', ODD].map(async (odd) => {
        const client = new Client();
        const answer = await client.ask(ask('POST', '/run', TOKEN + odd, JSON.stringify(sleeping)));
        client.socket.destroy();
        return settled(answer);
      }),
    );
    expect(answers[0]).toContain('500 Internal Server Error');
    expect(answers[0]).toContain('"worker queue is full"');
    expect(answers[0]).toContain('Retry-After: ');
    expect(answers[0]).toBe(answers[1]);
    await Promise.all(others);
  });
});

test('both are counted', async () => {
  const counted = async () => {
    const text = await (await fetch(`${server.monitorUrl}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
    return [
      value(
        'gin_requests_total\\{code="404",method="DELETE",handler="/file/:fid",host="",url="/file/:fid"\\}',
      ),
      value('gin_request_size_bytes_sum'),
      value('gin_response_size_bytes_count'),
    ];
  };
  const before = await counted();
  const client = new Client();
  await client.ask(ask('DELETE', '/file/NONE', TOKEN, 'abc'));
  await client.ask(ask('DELETE', '/file/NONE', TOKEN + ODD, 'abc'));
  client.socket.destroy();
  const after = await counted();
  expect(after.map((value, index) => value - before[index]!)).toEqual([2, 6, 2]);
});

describe.each([
  ['plain', ''],
  ["through Node's server", ODD],
])('%s', (_, odd) => {
  test('a client that leaves takes its run along', async () => {
    const client = new Client();
    client.socket.write(
      ask('POST', '/run', TOKEN + odd, JSON.stringify({ cmd: [cmd(['/bin/sleep', '60'])] })),
    );
    await runningPrograms('sleep');
    client.socket.destroy();
    await runningPrograms('sleep', 0);
  });

  test('one that reads slowly gets all of a large answer', async () => {
    const client = new Client();
    const chunks: Buffer[] = [];
    client.socket.removeAllListeners('data');
    const program = collecting('yes 0123456789abcde | head -c 12582912', 2 ** 24);
    client.socket.write(ask('POST', '/run', TOKEN + odd, JSON.stringify({ cmd: [program] })));
    client.socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 3);
    });
    await until(
      30_000,
      'its last chunk',
      () => chunks.at(-1)?.toString('latin1').endsWith('0\r\n\r\n') === true,
    );
    const [result] = JSON.parse(withoutFrames(Buffer.concat(chunks).toString('latin1')));
    expect(result.files.stdout).toBe('0123456789abcde\n'.repeat(786_432));
    client.socket.destroy();
  });
});

test('small parts of many requests, from many clients at once', async () => {
  const body = JSON.stringify({ cmd: [cmd(['/bin/echo', 'hi'])] });
  const requests = [
    ask('POST', '/run', TOKEN, body),
    ask('GET', '/file', TOKEN),
    ask('POST', '/run', TOKEN + ODD, body),
    ask('GET', '/version', ''),
  ];
  const talk = async (first: number, bytes: number) => {
    const client = new Client();
    for (const request of [...requests.slice(first), ...requests.slice(0, first)]) {
      for (let at = 0; at < request.length - bytes; at += bytes) {
        client.socket.write(request.slice(at, at + bytes));
        await new Promise(setImmediate);
      }
      const rest = request.length % bytes === 0 ? bytes : request.length % bytes;
      expect(await client.ask(request.slice(-rest))).toContain('HTTP/1.1 200 OK');
    }
    client.socket.end();
    await once(client.socket, 'close');
  };
  await Promise.all([0, 1, 2, 3].map((first) => talk(first, [7, 50, 150, 1000][first]!)));
});
