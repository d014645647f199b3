// `/ws` and `/stream`, message by message.
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { runningPrograms } from '../helpers/running.js';
import { cmd, useServer } from './server.js';

const server = useServer({ parallelism: 2, queueLength: 4 });

interface Talk {
  socket: WebSocket;
  messages: Buffer[];
  closed: Promise<number>;
  next(): Promise<Buffer>;
}

async function open(path: string): Promise<Talk> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`);
  const messages: Buffer[] = [];
  let wake: () => void = () => undefined;
  socket.on('message', (data) => {
    messages.push(data as Buffer);
    wake();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const next = async (): Promise<Buffer> => {
    if (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return messages.shift()!;
  };
  return { socket, messages, closed, next };
}

const json = (message: Buffer) =>
  JSON.parse(message.toString()) as {
    requestId: string;
    results: { status: string }[] | null;
    error?: string;
  };
const sleeper = (seconds: number) => cmd(['/bin/sleep', `${seconds}`]);

describe('/ws', () => {
  test.each(['/%77s', '/ws?x=/stream'])('is at %s, too', async (path) => {
    const { socket, next } = await open(path);
    socket.send('null');
    expect(json(await next()).error).toBe('empty request id');
    socket.close();
  });

  test('agrees on no protocol inside', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, ['json', 'text']);
    const refused = new Promise<Error>((resolve) => socket.once('error', resolve));
    expect((await refused).message).toBe('Server sent no subprotocol');
  });

  test('many requests, answered as they end', async () => {
    const { socket, next } = await open('/ws');
    socket.send(JSON.stringify({ requestId: 'slow', cmd: [sleeper(0.5)] }));
    socket.send(JSON.stringify({ requestId: 'fast', cmd: [cmd(['/bin/true'])] }));
    expect([json(await next()).requestId, json(await next()).requestId]).toEqual(['fast', 'slow']);
    socket.close();
  });

  test.each([
    [{ cmd: [] }, '{"requestId":"","results":null,"error":"empty request id"}\n'],
    [{ cancelRequestId: '' }, '{"requestId":"","results":null,"error":"empty request id"}\n'],
    [null, '{"requestId":"","results":null,"error":"empty request id"}\n'],
    [{ requestId: 'r', cmd: [] }, '{"requestId":"r","results":[]}\n'],
    [
      { requestId: 'r', cmd: [cmd(['x'], { copyIn: { a: { fileId: 'NO' } } })] },
      '{"requestId":"r","results":[],"error":"file does not exists with id: \\"NO\\""}\n',
    ],
  ])('%j', async (message, answer) => {
    const { socket, next } = await open('/ws');
    socket.send(JSON.stringify(message));
    expect((await next()).toString()).toBe(answer);
    socket.close();
  });

  test('an id in flight is refused, quoted as Go quotes; the first goes on', async () => {
    const { socket, next } = await open('/ws');
    for (let count = 0; count < 2; count += 1)
      socket.send(JSON.stringify({ requestId: 'a\u007f', cmd: [sleeper(0.2)] }));
    expect((await next()).toString()).toBe(
      '{"requestId":"a\u007f","results":null,"error":"duplicated request id: \\"a\\\\x7f\\""}\n',
    );
    expect(json(await next()).results![0]!.status).toBe('Accepted');
    socket.close();
  });

  test('more programs than one request may have are refused, and nothing else', async () => {
    const { socket, next } = await open('/ws');
    const many = Array(65).fill(cmd(['/bin/true']));
    socket.send(JSON.stringify({ requestId: 'many', cmd: many }));
    expect(json(await next())).toEqual({
      requestId: 'many',
      results: [],
      error: 'cmd: more than 64 entries',
    });
    socket.send(JSON.stringify({ requestId: 'one', cmd: many.slice(64) }));
    expect(json(await next()).results![0]!.status).toBe('Accepted');
    socket.close();
  });

  test('cancel: running ones answer with results, queued ones with an error', async () => {
    const { socket, next } = await open('/ws');
    for (const requestId of ['a', 'b', 'queued'])
      socket.send(JSON.stringify({ requestId, cmd: [sleeper(20)] }));
    await runningPrograms('sleep', 2);
    socket.send(JSON.stringify({ cancelRequestId: 'queued' }));
    expect(json(await next())).toEqual({
      requestId: 'queued',
      results: [],
      error: 'request cancelled before execute',
    });
    socket.send(JSON.stringify({ cancelRequestId: 'unknown' }));
    socket.send(JSON.stringify({ cancelRequestId: 'a' }));
    expect(json(await next())).toMatchObject({
      requestId: 'a',
      results: [{ status: 'Signalled', exitStatus: 9 }],
    });
    socket.close();
    await expect.poll(() => server.server.engine.counters().sandboxes, { timeout: 3000 }).toBe(0);
  });

  test('a full queue is an error with a request of its own', async () => {
    const { socket, next } = await open('/ws');
    for (let count = 0; count < 7; count += 1)
      socket.send(JSON.stringify({ requestId: `${count}`, cmd: [sleeper(1)] }));
    expect(json(await next())).toEqual({ requestId: '6', results: [], error: 'worker queue is full' });
    socket.close();
    await expect.poll(() => server.server.engine.counters().sandboxes, { timeout: 3000 }).toBe(0);
  });

  test.each([
    '{',
    '[]',
    '{"requestId":"r","cmd":[{"files":[{}]}]}',
    '{"requestId":"r","cmd":[{"cpuLimit":-1}]}',
  ])('%s ends this connection and no other', async (message) => {
    const other = await open('/ws');
    other.socket.send(JSON.stringify({ requestId: 'o', cmd: [sleeper(0.2)] }));
    const { socket, closed } = await open('/ws');
    socket.send(message);
    expect(await closed).toBe(1006);
    expect(json(await other.next()).results![0]!.status).toBe('Accepted');
    other.socket.close();
  });
});

describe('/stream', () => {
  const request = (cmds: object[]) =>
    Buffer.concat([Buffer.of(1), Buffer.from(JSON.stringify({ requestId: 'x', cmd: cmds }))]);
  const input = (index: number, fd: number, text: string) =>
    Buffer.concat([Buffer.of(3, (index << 4) | fd), Buffer.from(text)]);
  const streams = [{ streamIn: true }, { streamOut: true }, { streamOut: true }];
  const cat = (more: object = {}) => cmd(['/bin/cat'], { files: streams, ...more });

  /** All output by place, and the final answer. */
  async function toTheEnd({
    next,
  }: Talk): Promise<{ output: Record<number, string>; answer: ReturnType<typeof json> }> {
    const output: Record<number, string> = {};
    for (;;) {
      const message = await next();
      if (message[0] === 1) return { output, answer: json(message.subarray(1)) };
      output[message[1]!] = (output[message[1]!] ?? '') + message.subarray(2).toString();
    }
  }

  test('echo, then cancel', async () => {
    const talk = await open('/stream');
    talk.socket.send(request([cat()]));
    talk.socket.send(input(0, 0, 'hello'));
    expect((await talk.next()).toString()).toBe('\x02\x01hello');
    talk.socket.send(Buffer.of(4));
    expect((await toTheEnd(talk)).answer).toMatchObject({
      requestId: '',
      results: [{ status: 'Signalled', exitStatus: 9 }],
    });
    await talk.closed;
  });

  test('a terminal: echo, size, end of file by hand', async () => {
    const talk = await open('/stream');
    talk.socket.send(
      request([
        cmd(['/bin/sh', '-c', 'read x; stty size; cat'], {
          files: streams,
          tty: true,
          env: ['PATH=/usr/bin:/bin', 'TERM=xterm'],
        }),
      ]),
    );
    talk.socket.send(Buffer.concat([Buffer.of(2), Buffer.from('{"Rows":31,"COLS":97}')]));
    await new Promise((resolve) => setTimeout(resolve, 300));
    talk.socket.send(input(0, 0, 'go\n'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    talk.socket.send(input(0, 0, '\x04'));
    const { output, answer } = await toTheEnd(talk);
    expect(Object.values(output).join('')).toBe('go\r\n31 97\r\n');
    expect(answer.results![0]!.status).toBe('Accepted');
  });

  test('all output comes before the answer, collectors and files work as elsewhere', async () => {
    const talk = await open('/stream');
    const files = [{ content: '' }, { streamOut: true }, { name: 'e', max: 100 }];
    talk.socket.send(
      request([
        cmd(['/bin/sh', '-c', 'head -c 300000 /dev/zero; echo err >&2; echo f > f'], {
          files,
          copyOut: ['f'],
        }),
      ]),
    );
    const { output, answer } = await toTheEnd(talk);
    expect(output[1]!.length).toBe(300_000);
    expect(answer.results![0]).toMatchObject({ status: 'Accepted', files: { e: 'err\n', f: 'f\n' } });
  });

  test('input that nobody reads is dropped, and the answer comes', async () => {
    const talk = await open('/stream');
    talk.socket.send(request([cmd(['/bin/sleep', '0.3'], { files: streams })]));
    for (let count = 0; count < 40; count += 1) talk.socket.send(input(0, 0, 'x'.repeat(10_000)));
    expect((await toTheEnd(talk)).answer.results![0]!.status).toBe('Accepted');
  });

  test('a failure of the whole request reaches the client', async () => {
    const talk = await open('/stream');
    talk.socket.send(request([cat({ copyIn: { a: { fileId: 'NO' } } })]));
    expect((await toTheEnd(talk)).answer).toEqual({
      requestId: '',
      results: [],
      error: 'file does not exists with id: "NO"',
    });
  });

  test.each([
    ['no request first', [Buffer.of(4)]],
    ['an empty message', [Buffer.alloc(0)]],
    ['bad JSON', [Buffer.from('\x01{')]],
    ['more programs than may be', [request(Array(65).fill(cmd(['/bin/true'])))]],
    ['an unknown type', [request([cat()]), Buffer.of(9)]],
    ['a second request', [request([cat()]), request([cat()])]],
    ['input too short', [request([cat()]), Buffer.of(3)]],
    ['input to an output', [request([cat()]), input(0, 1, 'x')]],
    ['a size without a terminal', [request([cat()]), Buffer.from('\x02{}')]],
    [
      'a stream beyond 15',
      [request([cat({ files: [...Array(16).fill({ content: '' }), { streamOut: true }] })])],
    ],
  ])('%s ends the connection and the run', async (_what, frames) => {
    const talk = await open('/stream');
    for (const frame of frames) talk.socket.send(frame);
    expect(await talk.closed).toBe(1006);
    expect(talk.messages.filter((message) => message[0] === 1)).toEqual([]);
    await expect.poll(() => server.server.engine.counters().sandboxes, { timeout: 3000 }).toBe(0);
  });
});
