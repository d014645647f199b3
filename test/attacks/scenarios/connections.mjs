// Group F over HTTP: many connections, cut connections, bytes that are read in two ways.
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from '../../helpers/proc.mjs';
import { MiB } from '../harness/conditions.mjs';
import { cmdOf } from '../harness/gojudge-target.mjs';
import { becomes, exchange, rawConnection } from '../harness/wire.mjs';
import { stillServes } from './requests.mjs';

const TRUE = { argv: ['/bin/true'] };
const REQUEST = JSON.stringify({ cmd: [cmdOf(TRUE)] });
const one = `POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(REQUEST)}\r\n\r\n${REQUEST}`;

async function pipelined(url, count) {
  const connection = rawConnection(url);
  await connection.opened;
  connection.write(one.repeat(count));
  const answers = () => connection.received().match(/HTTP\/1\.1 \d+/g) ?? [];
  await becomes(60_000, () => answers().length >= count);
  const text = connection.received();
  connection.reset();
  return { answers: answers(), odd: /HTTP\/1\.1 500/.test(text) && !/worker queue is full/.test(text) };
}

export async function manyRequests({ target }) {
  const problems = [];
  const check = (name, results, count) => {
    const answers = results.flatMap(({ answers }) => answers);
    const other = answers.filter((line) => !/ (200|500)$/.test(line));
    if (answers.length !== count || other.length > 0)
      problems.push(`${name}: ${answers.length} answers, odd: ${other.slice(0, 3)}`);
    if (results.some(({ odd }) => odd)) problems.push(`${name}: refused with another reason`);
  };
  check('one connection', [await pipelined(target.url, 1000)], 1000);
  check(
    '500 connections',
    await Promise.all(Array.from({ length: 500 }, () => pipelined(target.url, 8))),
    4000,
  );
  return [...problems, ...(await stillServes(target))];
}

const programsNamed = (pid, name) => descendants(pid).filter((row) => row.name === name);

/** RST at some moment of a run: the program must be gone soon. */
export async function dropConnections({ target }) {
  const problems = [];
  const large = 'x'.repeat(4 * MiB);
  const moments = {
    queue: [{ argv: ['/t/sleep-ms', '5000'], limits: { wallMs: 9000 } }, 1],
    'copy-in': [
      { argv: ['/t/sleep-ms', '5000'], copyIn: { f: { content: large } }, limits: { wallMs: 9000 } },
      30,
    ],
    run: [{ argv: ['/t/sleep-ms', '5000'], limits: { wallMs: 9000 } }, 200],
    'copy-out': [
      {
        argv: ['/bin/sh', '-c', 'head -c 20000000 /dev/zero > f'],
        copyOut: ['f'],
        copyOutMaxBytes: 30 * MiB,
      },
      60,
    ],
  };
  for (const [moment, [spec, ms]] of Object.entries(moments)) {
    for (let round = 0; round < 5; round += 1) {
      const body = JSON.stringify({ cmd: Array.from({ length: 2 }, () => cmdOf(spec)) });
      const connection = rawConnection(target.url);
      await connection.opened;
      connection.write(
        `POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      await sleep(ms + round * 7);
      connection.reset();
      const gone = await becomes(400, () => programsNamed(target.pid, 'sleep-ms').length === 0);
      if (!gone) problems.push(`${moment}: still running 400 ms after the connection was cut`);
    }
  }
  return [...problems, ...(await stillServes(target))];
}

export async function smuggle({ target }) {
  const get = 'GET /version HTTP/1.1\r\nHost: x\r\n\r\n';
  const cases = {
    'TE and CL': `POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get}`,
    'two lengths': `POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd${get}`,
    'obs-fold': `POST /run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${get}`,
    'bare LF': `GET /version HTTP/1.1\nHost: x\n\n`,
    'TE chunked, identity': `POST /run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${get}`,
    'space before colon': `GET /version HTTP/1.1\r\nHost : x\r\n\r\n`,
    'a chunk with a bad size': `POST /run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n`,
    'garbage after a body': `${one}\0\0\0 garbage\r\n\r\n${get}`,
  };
  const problems = [];
  for (const [name, bytes] of Object.entries(cases)) {
    const { answer, isClosed } = await exchange(target.url, bytes, 1000);
    const answers = answer.match(/HTTP\/1\.1 \d+/g) ?? [];
    const last = answers.at(-1) ?? 'nothing';
    const smuggled = answer.includes('buildVersion');
    if (smuggled || !isClosed || !/ 4\d\d$/.test(last))
      problems.push(`${name}: ${answers.join(', ')}${isClosed ? '' : ', left open'}`);
  }
  return [...problems, ...(await stillServes(target))];
}
