// What is taken for simple, and that Node's parser would read the same from it.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSimpleRequest, SIMPLE_BYTES_MAX } from './request.js';

const read = (text: string) => readSimpleRequest(Buffer.from(text, 'latin1'));
const HEAD = 'POST /run HTTP/1.1\r\nHost: judge:5050\r\nContent-Length: 2\r\n';

describe('simple', () => {
  test('method, path, host, token and body', () => {
    const text = `${HEAD}Authorization: Bearer t\r\nAccept: */*\r\n\r\n{}`;
    const request = read(text)!;
    expect(request).toMatchObject({ method: 'POST', path: '/run', bodyAt: text.length - 2, bodyBytes: 2 });
    expect(request.headers).toMatchObject({ host: 'judge:5050', authorization: 'Bearer t' });
  });

  test.each([
    [
      'in any letter case, with and without blanks',
      'GET /file HTTP/1.1\r\nhOST:x\r\nCONNECTION:\t Keep-Alive \r\n\r\n',
    ],
    ['a body that is still to come', `${HEAD}\r\n`],
    ['an empty body', 'POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'],
    [
      'headers of no standard',
      'GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1, [::1]\r\nx-b3-id: "1"\r\n\r\n',
    ],
    ['an empty host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
    ['a deletion', 'DELETE /file/ABCDEFGH HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s', (_, text) => expect(read(text)).not.toBe(null));
});

describe("left to Node's parser", () => {
  test('half an empty line', () => expect(read(`${HEAD}\rx{}`)).toBe(null));

  test('a head that is cut off anywhere', () => {
    for (let bytes = 0; bytes < HEAD.length + 2; bytes += 1) {
      expect(read(`${HEAD}\r\n`.slice(0, bytes))).toBe(null);
    }
  });

  test.each([
    ['nothing', ''],
    ['another method', HEAD.replace('POST', 'PUT')],
    ['a method in small letters', HEAD.replace('POST', 'post')],
    ['another version', HEAD.replace('1.1', '1.0')],
    ['a query', HEAD.replace('/run', '/run?x')],
    ['percent signs', HEAD.replace('/run', '/r%75n')],
    ['a whole address', HEAD.replace('/run', 'http://x/run')],
    ['dots in the path', HEAD.replace('/run', '/a/../run')],
    ['a path without a slash', HEAD.replace('/run', 'run')],
    ['no path', HEAD.replace('/run', '')],
    ['two spaces', HEAD.replace(' /run', '  /run')],
    ['an empty line first', `\r\n${HEAD}`],
    ['no host', HEAD.replace('Host', 'Accept')],
    ['two hosts', `${HEAD}Host: y\r\n`],
    ['two tokens', `${HEAD}Authorization: a\r\nAuthorization: b\r\n`],
    ['two lengths', `${HEAD}Content-Length: 2\r\n`],
    ['no length', HEAD.replace('Content-Length', 'Accept')],
    ['a length with a sign', HEAD.replace(': 2', ': +2')],
    ['one with a zero before it', HEAD.replace(': 2', ': 02')],
    ['one that is hexadecimal', HEAD.replace(': 2', ': 0x2')],
    ['an empty one', HEAD.replace(': 2', ':')],
    ['two in one', HEAD.replace(': 2', ': 2, 2')],
    ['one of more than the bound', HEAD.replace(': 2', `: ${SIMPLE_BYTES_MAX}`)],
    ['one of seven digits', HEAD.replace(': 2', ': 1000000')],
    ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n`],
    ['chunks as a connection option', `${HEAD}Connection: keep-alive, transfer-encoding\r\n`],
    ['the last request of a connection', `${HEAD}Connection: close\r\n`],
    ['an upgrade', `${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n`],
    ['who waits to be asked', `${HEAD}Expect: 100-continue\r\n`],
    ['a page', `${HEAD}Origin: http://evil.example\r\n`],
    ['an encoded body', `${HEAD}Content-Encoding: gzip\r\n`],
    ['a header nobody knows', `${HEAD}Request-Id: 1\r\n`],
    ['a blank behind a name', HEAD.replace('Host:', 'Host :')],
    ['a blank before a name', HEAD.replace('Host:', ' Host:')],
    ['a folded line', HEAD.replace('judge', 'judge\r\n more')],
    ['a bare line feed', HEAD.replace('judge:5050\r\n', 'judge:5050\n')],
    ['a bare return', HEAD.replace('judge', 'jud\rge')],
    ['a return without its line feed, and a header behind', `${HEAD}Accept: a\rxPragma: b\r\n`],
    ['a name that begins like another', HEAD.replace('Host', 'Hosts')],
    ['a zero', HEAD.replace('judge', 'jud\0ge')],
    ['a byte beyond ASCII', HEAD.replace('judge', 'jüdge')],
    ['a name with the high bit of another', HEAD.replace('Host', 'Ho\u0053\u00f4')],
    ['a control character that the bit turns into a hyphen', `${HEAD}User\rAgent: x\r\n`],
    ['a line without a colon', `${HEAD}Accept\r\n`],
    ['a name of nothing', `${HEAD}: x\r\n`],
    ['a name of no more than x-', `${HEAD}X-: 1\r\n`],
  ])('%s', (_, text) => expect(read(`${text}\r\n{}`)).toBe(null));
});

interface Seen {
  method: string;
  url: string;
  host: string | undefined;
  authorization: string | undefined;
  body: string;
}

/** What Node's server makes of it; fewer or more than one request is none. */
async function parsedByNode(port: number, seen: Seen[], bytes: Buffer): Promise<Seen | null> {
  seen.length = 0;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().end(bytes);
  await once(socket, 'close');
  return seen.length === 1 ? seen[0]! : null;
}

function body(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    request.once('end', () => resolve(text)).once('error', () => undefined);
  });
}

/** Requests, most of them nearly simple. */
const blank = fc.constantFrom('', ' ', '\t', '  ', '\r\n ', '\x0b');
const name = fc.constantFrom(
  ...[
    'Host',
    'host',
    'Content-Length',
    'CONTENT-LENGTH',
    'Authorization',
    'Accept',
    'User-Agent',
    'Connection',
  ],
  ...[
    'Transfer-Encoding',
    'Content-Length ',
    'Content_Length',
    'Content-Lengt\u00e8',
    'Expect',
    '',
    'Pragma',
  ],
);
const value = fc.oneof(
  fc.constantFrom(
    'x',
    '2',
    '0',
    '02',
    '+2',
    '2,2',
    '0x2',
    'keep-alive',
    'close',
    'chunked',
    '',
    'a\rb',
    'a\nb',
    'é',
  ),
  fc.string({ maxLength: 6 }),
);
const lineEnd = fc.oneof(
  { weight: 30, arbitrary: fc.constant('\r\n') },
  fc.constantFrom('\n', '\r', '\r\r\n', '\n\r'),
);
const header = fc
  .tuple(name, blank, value, blank, lineEnd)
  .map(([n, b, v, c, end]) => `${n}:${b}${v}${c}${end}`);
const plainHeader = fc.constantFrom(
  'Host: x\r\n',
  'Content-Length: 2\r\n',
  'Accept: */*\r\n',
  'Authorization: t\r\n',
);
const request = fc.tuple(
  fc.constantFrom('POST', 'POST', 'GET', 'DELETE', 'PUT'),
  fc.constantFrom(' /run', ' /run', ' /file/AB', ' /', ' run', '  /run', ' /r\u00fcn', ' //', ' /run?x'),
  fc.constantFrom(' HTTP/1.1\r\n', ' HTTP/1.1\r\n', ' HTTP/1.0\r\n', ' HTTP/1.1\n', '\r\n'),
  fc.array(fc.oneof({ weight: 9, arbitrary: plainHeader }, header), { minLength: 1, maxLength: 5 }),
  fc.constantFrom('\r\n{}', '\r\n{}', '\r\n', '\n{}', '\r\n{}x', ''),
);

test("what is simple is the one request that Node's parser sees in the same bytes", async () => {
  const seen: Seen[] = [];
  const server = createServer(async (asked, response) => {
    const { method = '', url = '', headers } = asked;
    const text = await body(asked);
    seen.push({ method, url, host: headers.host, authorization: headers.authorization, body: text });
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let taken = 0;
  const check = async (parts: [string, string, string, string[], string]) => {
    const bytes = Buffer.from(parts.flat().join(''), 'latin1');
    const simple = readSimpleRequest(bytes);
    if (simple === null || simple.bodyAt + simple.bodyBytes !== bytes.length) return;
    taken += 1;
    const { method, path: url, headers, bodyAt } = simple;
    const { host, authorization } = headers;
    const text = bytes.toString('latin1', bodyAt);
    expect(await parsedByNode(port, seen, bytes)).toEqual({ method, url, host, authorization, body: text });
  };
  await fc.assert(fc.asyncProperty(request, check), { numRuns: 100_000, seed: 7 });
  server.close();
  expect(taken).toBeGreaterThan(200);
}, 60_000);
