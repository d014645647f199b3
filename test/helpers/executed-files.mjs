/**
 * Which source files one request runs code of: `node --enable-source-maps executed-files.mjs gojudge|fathom`
 * prints their paths below packages/, as JSON. V8 counts the calls of every function (precise coverage), and
 * the source maps of the built packages say which file each is from. Types leave no trace in it, and loading
 * a file is no call.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { findSourceMap } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Requests before the one that counts: the first ones load what is loaded at first use. */
const EARLIER_REQUESTS = 5;

/** Requests that count: intervals of the server run in some of them, a request's own code in each. */
const COUNTED_REQUESTS = 3;

/** What is made after a request for the next one (a warm process, a sandbox) is no part of that one. */
const REST_MS = 1000;

/**
 * What timers are to do waits until a request that counts is over: on a slow machine the next warm process
 * would be started while each of them still runs.
 */
let held = null;
const { setTimeout: setTimer } = globalThis;
globalThis.setTimeout = (call, ms, ...args) => {
  const due = () => (held === null ? call(...args) : held.push(() => call(...args)));
  return setTimer(due, ms);
};

async function holdingTimers(act) {
  held = [];
  await act();
  const due = held;
  held = null;
  for (const call of due) call();
}

const REQUESTS = { gojudge: gojudgeRequest, fathom: fathomRequest };

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const { request, close, ignored } = await REQUESTS[process.argv[2]]();
for (let i = 0; i < EARLIER_REQUESTS; i += 1) await request();
const counted = [];
for (let i = 0; i < COUNTED_REQUESTS; i += 1) {
  await sleep(REST_MS);
  await session.post('Profiler.takePreciseCoverage');
  let result = [];
  await holdingTimers(async () => {
    await request();
    ({ result } = await session.post('Profiler.takePreciseCoverage'));
  });
  counted.push(new Set(result.filter(isCounted).flatMap(filesOf)));
}
await close();
const [first, ...others] = counted;
const files = [...first].filter((file) => others.every((other) => other.has(file)));
process.stdout.write(`${JSON.stringify(files.sort())}\n`);

/** The client's part is none of the server's, nor what is built into it of other packages. */
function isCounted({ url }) {
  return url.includes('/packages/') && !(ignored && url.includes(`/packages/${ignored}`));
}

/** The source files of one built file in which a function was called. */
function filesOf({ url, functions }) {
  const path = fileURLToPath(url);
  const map = findSourceMap(path);
  const starts = lineStarts(readFileSync(path, 'utf8'));
  const called = functions.filter(({ ranges: [whole] }) => whole.count > 0);
  return called.map(({ ranges: [{ startOffset }] }) => {
    const line = starts.findLastIndex((start) => start <= startOffset);
    const source = map?.findEntry(line, startOffset - starts[line])?.originalSource ?? url;
    return source.replace(/^.*\/packages\//, '');
  });
}

function lineStarts(text) {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

async function gojudgeRequest() {
  const { createGojudgeServer } = await import('@sbx/gojudge-server');
  const server = await createGojudgeServer({ port: 0 });
  const { urls } = await server.listen();
  const body = JSON.stringify({
    cmd: [
      {
        args: ['/bin/echo', 'hello'],
        env: ['PATH=/usr/bin:/bin'],
        files: [{ content: '' }, { name: 'stdout', max: 10_240 }, { name: 'stderr', max: 10_240 }],
        cpuLimit: 10 ** 9,
        memoryLimit: 2 ** 28,
        procLimit: 50,
      },
    ],
  });
  const headers = { 'content-type': 'application/json' };
  const request = async () => {
    const response = await fetch(`${urls[0]}/run`, { method: 'POST', headers, body });
    const [{ status }] = await response.json();
    if (status !== 'Accepted') throw new Error(status);
  };
  return { request, close: () => server.close() };
}

async function fathomRequest() {
  const { createFathomServer } = await import('@sbx/fathom-server');
  const { FathomClient } = await import('@sbx/fathom-client/node');
  const server = await createFathomServer({ port: 0 });
  const { urls } = await server.listen();
  const client = new FathomClient({ url: urls[0] });
  const request = async () => {
    const { status } = await client.execute({ language: 'python', code: 'print(1)' });
    if (status !== 'completed') throw new Error(status);
  };
  const close = async () => {
    await client.close();
    await server.close();
  };
  return { request, close, ignored: 'fathom-client/' };
}
