// Group F over HTTP: requests that are too large, too slow, malformed, too many, or cut.
import { setTimeout as sleep } from 'node:timers/promises';
import { cmdOf, gojudgeClient, startGojudge } from '../harness/gojudge-target.mjs';
import { rawConnection } from '../harness/wire.mjs';

const MiB = 2 ** 20;
const TRUE = { argv: ['/bin/true'] };

/** A server of its own with more flags, closed at the end. */
export async function withServer(context, flags, use, env) {
  const server = await startGojudge(context.world, flags, env);
  try {
    return await use({ ...gojudgeClient(server.url), pid: server.pid, log: server.log, stop: server.stop });
  } finally {
    await server.stop('SIGTERM');
    server.removeStore();
  }
}

const head = (lines) => `POST /run HTTP/1.1\r\nHost: x\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/** Writes until the server has enough; how much that was, what only waits to be sent left out. */
async function pour(url, first, chunk, most) {
  const connection = rawConnection(url);
  await connection.opened;
  const { socket } = connection;
  const sent = () => socket.bytesWritten - socket.writableLength;
  connection.write(first);
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  while (sent() < most && !isClosed && connection.received() === '') {
    if (socket.writableNeedDrain) await sleep(1);
    else connection.write(chunk);
  }
  await Promise.race([connection.closed, sleep(2000)]);
  connection.reset();
  return { sent: sent(), answer: connection.received() };
}

export const largeBodies = (context) =>
  withServer(context, ['-body-max-size', '8m'], async ({ url }) => {
    const block = Buffer.alloc(MiB, 'x');
    const chunk = Buffer.concat([Buffer.from(`${MiB.toString(16)}\r\n`), block, Buffer.from('\r\n')]);
    const bodies = {
      '2 GiB': await pour(url, head([`Content-Length: ${2 ** 31}`]), block, 128 * MiB),
      'chunks without end': await pour(url, head(['Transfer-Encoding: chunked']), chunk, 128 * MiB),
      '10^12 announced': await pour(url, head(['Content-Length: 1000000000000']), block, 128 * MiB),
    };
    const problems = Object.entries(bodies)
      .filter(([, { answer, sent }]) => !/^HTTP\/1\.1 4\d\d/.test(answer) || sent > 64 * MiB)
      .map(([name, { answer, sent }]) => `${name}: ${answer.slice(0, 60)} after ${sent / MiB} MiB`);
    return [...problems, ...(await stillServes(gojudgeClient(url)))];
  });

export async function stillServes({ run }) {
  const one = await run(TRUE);
  return one.verdict === 'AC' ? [] : [`other clients: ${one.verdict} ${one.message}`];
}

/** A minute for a head or a body, and half a one between two looks of Node at its connections. */
const CUT_MS = 100_000;

export async function slowClients(context) {
  const { target } = context;
  const slow = (first, byte) => {
    const connection = rawConnection(target.url);
    connection.write(first);
    const timer = setInterval(() => connection.write(byte), 10_000).unref();
    connection.socket.once('close', () => clearInterval(timer));
    return connection;
  };
  const heads = Array.from({ length: 400 }, () => slow('POST /run HTTP/1.1\r\nHost: x\r\nX: ', 'x'));
  const bodies = Array.from({ length: 100 }, () => slow(head(['Content-Length: 100000']), ' '));
  const problems = await stillServes(target);
  for (const [name, connections] of Object.entries({ heads, bodies })) {
    const all = Promise.all(connections.map(({ closed }) => closed)).then(() => true);
    const cut = await Promise.race([all, sleep(CUT_MS, false, { ref: false })]);
    if (!cut) problems.push(`slow ${name} are not cut off`);
  }
  for (const connection of [...heads, ...bodies]) connection.reset();
  return [...problems, ...(await stillServes(target))];
}

const deep = (count) => `${'['.repeat(count)}${']'.repeat(count)}`;
const base = JSON.stringify(cmdOf(TRUE)).slice(1, -1);

/** Name → body, and whether it may also be taken as a request. */
const ODD_JSON = {
  'nested 10^6 deep': [`{"cmd":${deep(1e6)}}`, false],
  'unknown field nested 10^6 deep': [`{"cmd":[{${base}}],"x":${deep(1e6)}}`, false],
  '10^6 keys': [`{"cmd":[{${base}}],${Array.from({ length: 1e6 }, (_, n) => `"k${n}":0`).join()}}`, true],
  '100 MB of string': [`{"cmd":[{${base}}],"x":"${'a'.repeat(1e8)}"}`, true],
  'duplicate keys': [`{"cmd":[{${base},"cpuLimit":1000000000,"cpuLimit":2000000000}]}`, true],
  'lone surrogates': [`{"cmd":[{${base},"env":["A=\\ud800"]}]}`, true],
  'huge numbers': [`{"cmd":[{${base},"cpuLimit":${'9'.repeat(400)}}]}`, false],
  'a number of a million digits': [`{"cmd":[{${base},"cpuLimit":1e${'9'.repeat(1e6)}}]}`, false],
  __proto__: [`{"cmd":[{${base},"__proto__":{"args":["x"]},"constructor":{"prototype":{"y":1}}}]}`, true],
  'cut off': [`{"cmd":[{${base}`, false],
  'not UTF-8': [
    Buffer.concat([Buffer.from('{"cmd":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]),
    false,
  ],
  empty: ['', false],
};

export async function oddJson({ target }) {
  const problems = [];
  for (const [name, [body, mayRun]] of Object.entries(ODD_JSON)) {
    const answer = await target
      .request('/run', { method: 'POST', body })
      .catch((error) => ({ status: String(error) }));
    const fine = answer.status === 400 || (mayRun && (answer.status === 200 || answer.status === 413));
    if (!fine) problems.push(`${name}: ${answer.status} ${answer.text?.().slice(0, 80)}`);
  }
  return [...problems, ...(await stillServes(target))];
}

const FIELDS = [
  ...Object.keys(cmdOf(TRUE)),
  'cpuSetLimit',
  'cpuRateLimit',
  'copyOutCached',
  'copyOutTruncate',
  'copyOutDir',
  'dataSegmentLimit',
  'addressSpaceLimit',
  'strictMemoryLimit',
  'realCpuLimit',
];
const VALUES = [
  null,
  true,
  1,
  -1,
  1.5,
  'x',
  '',
  [],
  {},
  [null],
  [[]],
  [{}],
  { a: null },
  { a: { b: 1 } },
  [1],
  ['\0'],
];

/** Answers that go-judge defines: done, refused with a sentence, or failed with one. */
function isDefined({ status, text }) {
  if (status !== 200) return (status === 400 || status === 500) && text().startsWith('"');
  return JSON.parse(text()).every((one) => one.status !== 'Internal Error' || (one.error ?? '') !== '');
}

export async function wrongTypes({ target }) {
  const problems = [];
  const send = async (name, body) => {
    const answer = await target.post(body).catch((error) => ({ status: 0, text: () => String(error) }));
    if (!isDefined(answer)) problems.push(`${name}: ${answer.status} ${answer.text().slice(0, 100)}`);
  };
  for (const field of FIELDS)
    for (const value of VALUES)
      await send(`${field}: ${JSON.stringify(value)}`, { cmd: [{ ...cmdOf(TRUE), [field]: value }] });
  for (const value of VALUES) {
    await send(`cmd: ${JSON.stringify(value)}`, { cmd: value });
    await send(`pipeMapping: ${JSON.stringify(value)}`, {
      cmd: [cmdOf(TRUE), cmdOf(TRUE)],
      pipeMapping: value,
    });
    await send(`body: ${JSON.stringify(value)}`, value);
  }
  return [...problems.slice(0, 5), ...(await stillServes(target))];
}

/** Each must be defined, and none may end as something else than these words. */
const tryEach = (rows, verdicts) => async (context) => {
  const problems = [];
  for (const [name, more] of rows) {
    const one = await context.run({ argv: ['/bin/true'], gojudge: more, queued: true });
    const clean = verdicts.includes(one.verdict) || (one.verdict === 'IE' && one.message !== '');
    if (!clean) problems.push(`${name}: ${one.verdict} ${one.message}`);
  }
  return [...problems, ...(await stillServes(context.target))];
};

export const oddArguments = tryEach(
  [
    ['no args', { args: [] }],
    ['an empty arg', { args: [''] }],
    ['NUL', { args: ['/bin/true', 'a\0b'] }],
    ['NUL in the program', { args: ['/bin/true\0'] }],
    ['env without a name', { env: ['=x'] }],
    ['env without =', { env: ['A'] }],
    ['env with NUL', { env: ['A=\0'] }],
    ['100,000 variables', { env: Array.from({ length: 100_000 }, (_, n) => `V${n}=1`) }],
  ],
  ['REFUSED', 'AC', 'FE'],
);

const LIMITS = [
  'cpuLimit',
  'clockLimit',
  'memoryLimit',
  'stackLimit',
  'procLimit',
  'copyOutMax',
  'cpuRateLimit',
];
const NUMBERS = [
  '0',
  '-1',
  '9223372036854775808',
  '18446744073709551615',
  '1e9',
  '0.5',
  '1',
  '9223372036854775807',
];

/**
 * By text, since JavaScript has no such numbers. A sleeper must be ended by its clock, whatever the numbers.
 */
export async function oddLimits({ target }) {
  const problems = [];
  const sleeper = { argv: ['/t/sleep-ms', '20'], limits: { cpuMs: 100, wallMs: 1000 } };
  const send = async (field, number) => {
    const cmd = JSON.stringify({ ...cmdOf(sleeper), [field]: '@' }).replace('"@"', number);
    const start = performance.now();
    const answer = await target.request('/run', { method: 'POST', body: `{"cmd":[${cmd}]}` });
    if (!isDefined(answer))
      problems.push(`${field} ${number}: ${answer.status} ${answer.text().slice(0, 100)}`);
    if (performance.now() - start > 3000)
      problems.push(`${field} ${number}: took ${performance.now() - start} ms`);
  };
  for (const field of LIMITS) for (const number of NUMBERS) await send(field, number);
  const endless = await target.run({ argv: ['/t/sleep-ms', '60000'], limits: { cpuMs: 900, wallMs: 300 } });
  if (endless.verdict !== 'TLE') problems.push(`clock below cpu: ${endless.verdict}`);
  return [...problems, ...(await stillServes(target))];
}

export const oddCpuSets = tryEach(
  ['0-9999', 'a', '', '-1', '0,', '0-', '99999999999999999999', '0\0', '3-1']
    .map((text) => [`cpuset ${text}`, { cpuSetLimit: text }])
    .concat([0, 1, 10, 1e9, 9_007_199_254_740_991].map((rate) => [`rate ${rate}`, { cpuRateLimit: rate }])),
  ['AC', 'REFUSED', 'TLE'],
);
