/**
 * What an open console costs a busy `sbx serve`: requests per second of `/run` with and without a connection
 * of `/console/ws`, which is what the view Engine holds, in turn on one server. And the same requests to
 * `sbx serve gojudge`, which takes simple requests past Node's HTTP server. CPU time is that of all threads
 * of the server's process, helpers left out: it says more than rates where others use the machine as well.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { figure, rateRatio } from './lib/figures.mjs';
import { openClients } from './lib/gojudge-clients.mjs';
import { threadCpuUs } from './lib/server-processes.mjs';
import { pairwise, sum } from './lib/stats.mjs';

export const title = 'requests per second of sbx serve, with and without an open console';

const CLIENTS = 8;
/** Each meets figures, which come once a second. */
const SLICE_MS = 1500;
const ROUNDS = 20;
const WARM_UP_MS = 8000;
const RATE_BAR = 0.98;
const bin = fileURLToPath(new URL('../../packages/cli/bin/sbx.mjs', import.meta.url));

/** Resolves once it listens. */
async function start(...args) {
  const child = spawn(process.execPath, [bin, 'serve', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of child.stderr) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0];
    if (url === undefined) continue;
    child.stderr.resume();
    return { child, url, ...openClients(url, CLIENTS) };
  }
  throw new Error(`sbx serve ${args.join(' ')} did not start`);
}

async function slice({ child, work }, rounds) {
  const cpuBefore = threadCpuUs(child.pid);
  const from = performance.now();
  const runs = await work(SLICE_MS);
  const ms = performance.now() - from;
  rounds.push({ runs, ms, cpuUs: threadCpuUs(child.pid) - cpuBefore });
}

/** Resolves with how many figures have come meanwhile. */
async function withConsole(url, work) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/console/ws`);
  let count = 0;
  socket.on('message', (data) => {
    if (JSON.parse(data.toString()).type === 'figures') count += 1;
  });
  await once(socket, 'message'); // hello, which asks the languages for their versions at the first time
  await work();
  socket.close();
  await once(socket, 'close');
  return count;
}

export async function measure({ scale }) {
  const all = await start('--port', '0', '--parallelism', '2', '--standby', 'none');
  const gojudge = await start('gojudge', '-http-addr', '127.0.0.1:0', '-parallelism', '2');
  const [open, closed, single] = [[], [], []];
  let seen = 0;
  try {
    await withConsole(all.url, async () => undefined);
    await Promise.all([all, gojudge].map((server) => server.work(2 * WARM_UP_MS * scale)));
    const turns = [
      async () => {
        seen += await withConsole(all.url, () => slice(all, open));
      },
      () => slice(all, closed),
      () => slice(gojudge, single),
    ];
    for (let round = 0; round < Math.max(2, ROUNDS * scale); round += 1) {
      for (let place = 0; place < turns.length; place += 1) await turns[(place + round) % turns.length]();
    }
  } finally {
    for (const { child, close } of [all, gojudge]) {
      close();
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  if (seen < open.length) throw new Error(`only ${seen} figures came in ${open.length} slices`);
  return figuresOf({ open, closed, single });
}

function figuresOf({ open, closed, single }) {
  const perSecond = (name, rounds) =>
    figure({ name, unit: '1/s', samples: rounds.map(({ runs, ms }) => (runs / ms) * 1000), better: 'more' });
  const cpuRatio = (name, above, below) => {
    const cost = (rounds) => sum(rounds.map(({ cpuUs }) => cpuUs)) / sum(rounds.map(({ runs }) => runs));
    const costs = (rounds) => rounds.map(({ cpuUs, runs }) => cpuUs / runs);
    const samples = pairwise(costs(above), costs(below));
    return figure({ name, unit: 'ratio', samples, value: cost(above) / cost(below) });
  };
  return [
    perSecond('console_open_per_s', open),
    perSecond('console_closed_per_s', closed),
    perSecond('serve_gojudge_per_s', single),
    rateRatio({ name: 'console_open_by_closed', above: open, below: closed, bar: RATE_BAR }),
    cpuRatio('console_open_by_closed_cpu', open, closed),
    rateRatio({ name: 'serve_by_serve_gojudge', above: closed, below: single, bar: null }),
    cpuRatio('serve_by_serve_gojudge_cpu', closed, single),
  ];
}
