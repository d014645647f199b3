// Group F over the Fathom protocol: what an entry is for a server that streams.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from '../../helpers/proc.mjs';
import { execute, startFathom } from '../harness/fathom-target.mjs';
import { becomes, openSocket, rawConnection } from '../harness/wire.mjs';

const FATHOM_LONG = { limits: { timeout_ms: 60_000, memory_mb: 64, max_output_bytes: 64 * 2 ** 20 } };
const sleeping = ({ target }) => descendants(target.pid).filter((row) => row.name === 'sleep').length;

async function serves({ target }) {
  const one = await target.hello();
  return one.verdict === 'AC' ? [] : [`other clients: ${one.verdict} ${one.message}`];
}

const deep = (count) => `${'['.repeat(count)}${']'.repeat(count)}`;
const base = () => execute('odd', 'true');
const VALUES = [null, true, 1, -1, 1.5, 1e308, 'x', '', [], {}, [null], { a: null }, 'a\0b'];

/** Each is answered, and the connection goes on or is closed; the server lives. */
async function answerEach(context, texts) {
  const problems = [];
  for (const [name, text] of texts) {
    const { socket, next, send, closed } = await openSocket(context.target.url, '/ws');
    send(text);
    const heard = await Promise.race([next(5000), closed]);
    if (heard === null) problems.push(`${name}: no answer`);
    socket.terminate();
  }
  return [...problems.slice(0, 5), ...(await serves(context))];
}

export const fathomJson = (context) =>
  answerEach(context, [
    ['nested', `{"v":1,"type":${deep(1e6)}}`],
    ['many keys', `{${Array.from({ length: 3e5 }, (_, n) => `"k${n}":0`).join()}}`],
    ['a long string', `{"v":1,"type":"${'a'.repeat(7e6)}"}`],
    ['lone surrogates', JSON.stringify(base()).replace('true', '\\ud800')],
    ['huge numbers', JSON.stringify(base()).replace('3000', '9'.repeat(400))],
    ['__proto__', JSON.stringify(base()).replace('{', '{"__proto__":{"id":"x"},')],
    ['cut off', '{"v":1'],
    ['empty', ' '],
  ]);

export function fathomTypes(context) {
  const fields = ['v', 'type', 'ts', 'id', 'language', 'code', 'stdin', 'env', 'limits'];
  const limits = ['timeout_ms', 'memory_mb', 'cpu_shares', 'max_output_bytes'];
  const texts = [
    ...fields.flatMap((field) =>
      VALUES.map((value) => [`${field}: ${value}`, { ...base(), [field]: value }]),
    ),
    ...limits.flatMap((field) =>
      [...VALUES, 0, 2 ** 53, 2 ** 63].map((value) => [
        `${field}: ${value}`,
        { ...base(), limits: { ...base().limits, [field]: value } },
      ]),
    ),
  ];
  return answerEach(
    context,
    texts.map(([name, message]) => [name, JSON.stringify(message)]),
  );
}

const UPGRADE =
  'GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;

/** RST right after the execute, and while it runs: gone after the grace. */
export async function fathomDrops(context) {
  const problems = [];
  for (const ms of [0, 20, 200]) {
    const { socket, send } = await openSocket(context.target.url, '/ws');
    send(JSON.stringify(execute('dropped', 'sleep 50', FATHOM_LONG)));
    await sleep(ms);
    socket.terminate();
    if (!(await becomes(1500, () => sleeping(context) === 0)))
      problems.push(`cut after ${ms} ms: still running`);
  }
  return [...problems, ...(await serves(context))];
}

/** What is not read makes the program wait; the server keeps little of it. */
export async function fathomNeverReads(context) {
  const { socket, send } = await openSocket(context.target.url, '/ws');
  socket.pause();
  send(JSON.stringify(execute('flood', 'yes', FATHOM_LONG)));
  await sleep(2500);
  const beside = await serves(context);
  socket.terminate();
  const gone = await becomes(2000, () => descendants(context.target.pid).every((row) => row.name !== 'yes'));
  return gone ? beside : [...beside, 'the program lives on'];
}

export async function fathomIdle(context) {
  const connections = [];
  for (let index = 0; index < 1500; index += 1) {
    const connection = rawConnection(context.target.url);
    connections.push(connection);
    if (index % 50 === 49) await connection.opened; // or the kernel takes it for a flood of its own kind
  }
  for (const connection of connections) connection.write(UPGRADE);
  const areRefused = () => connections.some((one) => one.received().includes(' 503 '));
  const problems = (await becomes(2000, areRefused)) ? [] : ['no connection was refused'];
  for (const connection of connections) connection.reset();
  await sleep(300);
  return [...problems, ...(await serves(context))];
}

const answerOf = async (url, headers) =>
  openSocket(url, '/ws', { headers }).then(
    ({ socket }) => {
      socket.terminate();
      return 'opened';
    },
    (error) => error.message,
  );

export async function fathomOrigins({ target }) {
  const problems = [];
  const foreign = await answerOf(target.url, { origin: 'http://evil.example' });
  if (!/403/.test(foreign)) problems.push(`another origin: ${foreign}`);
  const rebound = await answerOf(target.url, { origin: 'http://evil.example', host: 'evil.example' });
  if (!/403/.test(rebound)) problems.push(`a rebound name: ${rebound}`);
  const own = await answerOf(target.url, {});
  if (own !== 'opened') problems.push(`no origin: ${own}`);
  return problems;
}

export async function fathomTokens() {
  const token = 'T0ken-of-the-catalogue';
  const server = await startFathom(['--token', token, '--verbose']);
  const problems = [];
  for (const guess of ['', token.slice(0, -1), `${token}x`, token.toLowerCase()]) {
    const answer = await answerOf(server.url, { authorization: `Bearer ${guess}` });
    if (!/401/.test(answer)) problems.push(`${guess}: ${answer}`);
  }
  const own = await answerOf(server.url, { authorization: `Bearer ${token}` });
  if (own !== 'opened') problems.push(`the token itself: ${own}`);
  if (server.log.join('\n').includes(token.slice(0, -1))) problems.push('the token is in the log');
  await server.stop();
  return problems;
}

/** 5,000 at once on one connection: each served, or refused as overloaded. */
export async function fathomMany({ target }) {
  const { socket, next, send } = await openSocket(target.url, '/ws');
  const count = 2000;
  for (let index = 0; index < count; index += 1) send(JSON.stringify(execute(`m${index}`, ':')));
  const ended = new Map();
  while (ended.size < count) {
    const text = await next(20_000);
    if (text === null) break;
    const { id, type, code } = JSON.parse(text);
    if (type === 'result') ended.set(id, 'served');
    if (type === 'error') ended.set(id, code);
  }
  socket.terminate();
  const odd = [...ended.values()].filter((how) => how !== 'served' && how !== 'SANDBOX_OVERLOADED');
  return ended.size === count && odd.length === 0
    ? []
    : [`${ended.size} of ${count} ended, odd: ${odd.slice(0, 3)}`];
}
