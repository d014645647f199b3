// Whatever a client sends, the server answers it or drops that client, stays alive for the others, and leaks
// nothing. SBX_FUZZ_RUNS sets the number of inputs of each kind: `npm run fuzz:gojudge` does it with 100 000.

import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { cmd, post, useServer } from './server.js';

const numRuns = Number(process.env.SBX_FUZZ_RUNS ?? 150);
/** The same inputs in each run of CI; others when more are asked for. */
const seed = process.env.SBX_FUZZ_RUNS === undefined ? 1 : Date.now();
const timeout = Math.max(60_000, numRuns * 20);
const server = useServer({ srcPrefix: ['/'], bodyMaxBytes: 2 ** 20, frameMaxBytes: 2 ** 20 });

const scalar = fc.oneof(
  fc.string(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('/bin/true', '/w', '..', '/dev/null', '\0', 'stdout', ''),
);
const anything = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), scalar, { maxKeys: 3 }),
);
const file = fc.oneof(
  fc.record(
    {
      src: fc.constantFrom('/dev/null', '/bin/true', '/no', '', '/usr'),
      content: fc.string(),
      fileId: fc.string(),
      name: fc.constantFrom('stdout', 'a', 'a/b', '/dev/null', '/tmp/x', '../x', ''),
      max: fc.integer(),
      pipe: fc.boolean(),
      symlink: fc.string(),
      streamIn: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  anything,
);
const limit = fc.oneof(fc.nat(50_000_000), fc.constantFrom(0, 1, 2 ** 53, -1, 1.5), anything);
const program = fc.record(
  {
    args: fc.oneof(
      fc.array(fc.constantFrom('/bin/true', '/bin/echo', 'true', 'x', '\0', ''), { maxLength: 3 }),
      anything,
    ),
    env: fc.array(fc.oneof(fc.string(), fc.constant('PATH=/bin')), { maxLength: 3 }),
    files: fc.array(file, { maxLength: 5 }),
    tty: fc.oneof(fc.constant(false), fc.boolean()),
    cpuLimit: limit,
    clockLimit: fc.nat(50_000_000),
    memoryLimit: fc.oneof(fc.nat(2 ** 27), limit),
    procLimit: limit,
    cpuSetLimit: fc.oneof(fc.constant(''), fc.string({ maxLength: 4 })),
    copyIn: fc.dictionary(fc.string({ maxLength: 6 }), file, { maxKeys: 3 }),
    copyOut: fc.array(fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('a?', '/etc/passwd', '..')), {
      maxLength: 3,
    }),
    copyOutMax: limit,
  },
  { requiredKeys: [] },
);
const end = fc.record(
  { index: fc.integer({ min: -2, max: 3 }), fd: fc.integer({ min: -2, max: 5 }) },
  { requiredKeys: [] },
);
const request = fc.record(
  {
    requestId: fc.oneof(fc.string(), anything),
    cancelRequestId: fc.constantFrom('', 'a'),
    cmd: fc.array(fc.oneof(program, program, anything), { maxLength: 3 }),
    pipeMapping: fc.array(
      fc.record(
        { in: end, out: end, proxy: fc.boolean(), name: fc.string({ maxLength: 4 }), max: fc.integer() },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

/** JSON, with a byte changed or the end cut off now and then. */
const jsonBytes = fc
  .tuple(request, fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 3 }), fc.option(fc.nat(), { freq: 8 }))
  .map(([value, change, cut]) => {
    const bytes = Buffer.from(JSON.stringify(value));
    if (change !== null) bytes[change[0] % bytes.length] = change[1];
    return cut === null ? bytes : bytes.subarray(0, cut % bytes.length);
  });

async function expectAlive(): Promise<void> {
  const response = await post(server.url, { cmd: [cmd(['/bin/true'])] });
  expect(await response.text()).toContain('Accepted');
  await expect.poll(() => server.server.engine.counters().sandboxes, { timeout: 5000 }).toBe(0);
  expect(process.memoryUsage().rss).toBeLessThan(2 ** 30);
}

test('bodies of /run', { timeout }, async () => {
  const isAnswered = fc.asyncProperty(jsonBytes, async (body) => {
    const response = await fetch(`${server.url}/run`, { method: 'POST', body });
    const answer: unknown = JSON.parse(await response.text());
    expect([200, 400, 500]).toContain(response.status);
    expect(response.status === 200 ? Array.isArray(answer) : typeof answer).toBe(
      response.status === 200 ? true : 'string',
    );
    expect(answer).not.toBe('internal error');
  });
  await fc.assert(isAnswered, { numRuns, seed, interruptAfterTimeLimit: timeout });
  await expectAlive();
});

const multipartPiece = fc.oneof(
  fc.constantFrom(
    '--b',
    '--b--',
    '\r\n',
    '\n',
    '--',
    'Content-Disposition: form-data; name="file"; filename="x"',
    'Content-Transfer-Encoding: quoted-printable',
    ' ',
    '=',
    ':',
  ),
  fc.string(),
);

test('bodies of /file', { timeout }, async () => {
  const isAnswered = fc.asyncProperty(
    fc.array(multipartPiece, { maxLength: 20, size: 'max' }),
    async (pieces) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const response = await fetch(`${server.url}/file`, { method: 'POST', headers, body: pieces.join('') });
      expect([200, 400]).toContain(response.status);
      const text = await response.text();
      if (response.status === 200)
        await fetch(`${server.url}/file/${JSON.parse(text)}`, { method: 'DELETE' });
    },
  );
  await fc.assert(isAnswered, { numRuns, seed, interruptAfterTimeLimit: timeout });
  expect(await (await fetch(`${server.url}/file`)).json()).toEqual({});
  await expectAlive();
});

const frame = fc.oneof(
  jsonBytes,
  fc.tuple(fc.nat(5), jsonBytes).map(([type, bytes]) => Buffer.concat([Buffer.of(type), bytes])),
  fc.uint8Array({ maxLength: 40, size: 'max' }).map((bytes) => Buffer.from(bytes)),
);

/** Sends everything, then leaves or is thrown out. */
function talk(path: string, frames: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`);
    socket.once('open', () => {
      for (const bytes of frames) socket.send(bytes, () => undefined);
      setTimeout(() => socket.terminate(), 10);
    });
    socket.once('close', () => resolve());
    socket.once('error', (error) => (socket.readyState === socket.CONNECTING ? reject(error) : resolve()));
  });
}

test.each(['/ws', '/stream'])('messages of %s', { timeout }, async (path) => {
  const isSurvived = fc.asyncProperty(fc.array(frame, { maxLength: 4 }), (frames) => talk(path, frames));
  await fc.assert(isSurvived, { numRuns, seed, interruptAfterTimeLimit: timeout });
  await expectAlive();
});

test('bytes that are no HTTP, and frames that are no WebSocket', { timeout }, async () => {
  const { port } = new URL(server.url);
  const upgrade =
    'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
  const isSurvived = fc.asyncProperty(
    fc.boolean(),
    fc.uint8Array({ maxLength: 100, size: 'max' }),
    (upgraded, bytes) => {
      return new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.once('close', () => resolve());
        socket.resume();
        socket.write(Buffer.concat([Buffer.from(upgraded ? upgrade : ''), bytes]));
        setTimeout(() => socket.destroy(), 5);
      });
    },
  );
  await fc.assert(isSurvived, { numRuns, seed, interruptAfterTimeLimit: timeout });
  await expectAlive();
});
