/** What the go-judge benchmark asks of a server: requests, and the files that they need there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPrograms } from '../../programs/build.mjs';
import { makeRequest } from './http-client.mjs';

const LIMITS = { cpuLimit: 20e9, clockLimit: 30e9, memoryLimit: 256 * 2 ** 20, procLimit: 10 };
const MIB = 2 ** 20;
const LINES = 20_000;

const collector = (name, max = 1024) => ({ name, max });
const OUTPUTS = [{ content: '' }, collector('stdout'), collector('stderr')];
const cmd = (args, files = OUTPUTS, more = {}) => ({
  args,
  env: ['PATH=/usr/bin:/bin'],
  files,
  ...LIMITS,
  ...more,
});
const run = (...cmds) => ({ cmd: cmds });

/** Files that loads refer to, by name. */
const FILES = {
  text16: () => Buffer.from('some text of a program, line by line\n'.repeat(460_000).slice(0, 16 * MIB)),
  bytes1: () => Buffer.alloc(MIB, 'x'),
  talk: () => readFileSync(join(buildPrograms(), 'talk')),
};

/** Two programs that pass a line to and fro, over descriptors 3 and 4. */
function talk({ talk: fileId }, proxy) {
  const side = (name) => cmd(['./talk', `${LINES}`, name], OUTPUTS, { copyIn: { talk: { fileId } } });
  const pipe = (from, to) => ({ in: { index: from, fd: 4 }, out: { index: to, fd: 3 }, proxy });
  const files = [...OUTPUTS, null, null];
  return {
    cmd: ['first', 'second'].map((name) => ({ ...side(name), files })),
    pipeMapping: [pipe(0, 1), pipe(1, 0)],
  };
}

const TRUE = run(cmd(['/bin/true']));
const cat16 = (fileId) => cmd(['/bin/cat'], [{ fileId }, collector('stdout', 32 * MIB), collector('stderr')]);

/** Of requests that take a second or more. */
const TALK_ROUNDS = 6;

/**
 * name → clients, and the request by the ids of the files. `socket`: over `/ws`. `rounds`: fewer than of
 * others. `bars`: of the ratios, ours by the other's.
 */
export const LOADS = [
  ...[1, 2, 8, 64].map((clients) => ({
    name: `true_${clients}`,
    clients,
    request: () => TRUE,
    bars: { per_s: 3, p50: 0.5, p99: 0.5, cpu: 0.5 },
  })),
  { name: 'ws_64', clients: 64, socket: true, request: () => TRUE, bars: {} },
  {
    name: 'cat_2',
    clients: 2,
    request: () => run(cmd(['/bin/cat', 'in'], OUTPUTS, { copyIn: { in: { content: 'x'.repeat(500) } } })),
    bars: {},
  },
  {
    name: 'file_1mib',
    clients: 1,
    request: ({ bytes1: fileId }) =>
      run(cmd(['/bin/cp', 'in', 'out'], OUTPUTS, { copyIn: { in: { fileId } }, copyOutCached: ['out'] })),
    bars: { p50: 1 / 1.2 },
  },
  {
    name: 'stdout_16mib',
    clients: 1,
    request: ({ text16 }) => run(cat16(text16)),
    bars: { p50: 1 / 1.2 },
  },
  {
    name: 'cached_16mib',
    clients: 1,
    request: ({ text16 }) => run({ ...cat16(text16), copyOutCached: ['stdout'] }),
    bars: { p50: 1 / 1.2 },
  },
  ...[false, true].map((proxy) => ({
    name: `ping_pong_${proxy ? 'proxy' : 'direct'}`,
    clients: 1,
    rounds: TALK_ROUNDS,
    request: (ids) => talk(ids, proxy),
    bars: { p50: 1 / 1.2 },
  })),
];

/** Between two ticks of a server that looks every 100 ms. */
const LIMIT_NS = 330e6;

/** name → a request that runs into a limit, and the figure of its result that shows it. */
export const KILLS = [
  {
    name: 'cpu_kill_late',
    figure: 'time',
    limitMs: LIMIT_NS / 1e6,
    request: run(cmd(['/bin/sh', '-c', 'while :; do :; done'], OUTPUTS, { cpuLimit: LIMIT_NS })),
  },
  {
    name: 'clock_kill_late',
    figure: 'runTime',
    limitMs: LIMIT_NS / 1e6,
    request: run(cmd(['/bin/sleep', '5'], OUTPUTS, { clockLimit: LIMIT_NS })),
  },
];

/** A request of `/run`, as bytes. */
export const runRequest = (request) => makeRequest({ path: '/run', body: JSON.stringify(request) });

export const ACCEPTED = Buffer.from('{"status":"Accepted"');

/** Throws otherwise. Chunks may come before it. */
export function expectAccepted({ status, body }) {
  if (status === 200 && body.subarray(0, 64).includes(ACCEPTED)) return;
  throw new Error(`unexpected answer: ${body.subarray(0, 300)}`);
}

/** Uploads what loads refer to; resolves with the ids by name. */
export async function uploadFiles(url) {
  const ids = {};
  for (const [name, content] of Object.entries(FILES)) {
    const form = new FormData();
    form.append('file', new Blob([content()]), name);
    ids[name] = await (await fetch(`${url}/file`, { method: 'POST', body: form })).json();
  }
  return ids;
}

export async function deleteFiles(url, ids) {
  for (const id of Object.values(ids)) await fetch(`${url}/file/${id}`, { method: 'DELETE' });
}
