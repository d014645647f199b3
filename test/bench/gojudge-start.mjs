/**
 * How long a go-judge server takes from its exec to its first answer, and what it holds when it has come to
 * rest, next to Node's bare HTTP server and, with `--command`, to another server that takes go-judge's flags.
 * The client connects again and again, as whoever waits for a port does; each sample is a fresh process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../helpers/free-port.mjs';
import { figure, ratioOf } from './lib/figures.mjs';
import { LOADS, runRequest } from './lib/gojudge-loads.mjs';
import { makeRequest } from './lib/http-client.mjs';
import { memoryOf, privateBytesOf } from './lib/process-memory.mjs';
import { serverProcesses, threadCpuUs } from './lib/server-processes.mjs';
import { p50 } from './lib/stats.mjs';
import { sleep } from './lib/wait.mjs';

export const title = 'go-judge servers: from exec to the first answer, and memory at rest';

const ROUNDS = 20;
const BAR_MS = 250;
const IDLE_BAR_MIB = 24;
const RETRY_MS = 2;
/** A server of ours has given back by then what its start left. */
const REST_MS = 12_000;

const bin = new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url).pathname;
const BARE = `require('node:http').createServer((q, s) => s.end('[]\\n')).listen(process.argv[1], '127.0.0.1')`;
const REQUESTS = {
  version: makeRequest({ method: 'GET', path: '/version' }),
  run: runRequest(LOADS[0].request({})),
};

const flags = (port) => ['-http-addr', `127.0.0.1:${port}`, '-parallelism', '2', '-mount-conf', 'none.yaml'];
const OURS = { name: 'ours', command: (port) => [process.execPath, bin, ...flags(port)] };
const NODE = { name: 'node_http', command: (port) => [process.execPath, '-e', BARE, `${port}`] };

/** `command`: path of another server. */
export async function measure({ scale, command }) {
  const other = { name: 'other', command: (port) => [command, ...flags(port)] };
  const contenders = command === undefined ? [OURS, NODE] : [OURS, NODE, other];
  return [...(await measureStarts(contenders, scale)), ...(await measureRest(contenders))];
}

async function measureStarts(contenders, scale) {
  const samples = Object.fromEntries(contenders.map(({ name }) => [name, { version: [], run: [], cpu: [] }]));
  for (let round = 0; round < Math.max(2, ROUNDS * scale); round += 1) {
    for (let place = 0; place < contenders.length; place += 1) {
      const { name, command } = contenders[(place + round) % contenders.length];
      for (const [kind, request] of Object.entries(REQUESTS)) {
        const { ms, cpuMs, stop } = await start(command, request);
        await stop();
        samples[name][kind].push(ms);
        if (kind === 'run') samples[name].cpu.push(cpuMs);
      }
    }
  }
  const own = contenders.flatMap(({ name }) => {
    const bar = name === 'ours' ? BAR_MS : null;
    return [
      figure({ name: `${name}_first_version_ms`, unit: 'ms', samples: samples[name].version, bar }),
      figure({ name: `${name}_first_run_ms`, unit: 'ms', samples: samples[name].run, bar }),
      figure({ name: `${name}_start_cpu_ms`, unit: 'ms', samples: samples[name].cpu }),
    ];
  });
  const ratios = contenders.slice(1).map(({ name }) => {
    const [above, below] = [samples.ours.run, samples[name].run];
    return ratioOf(p50, { name: `first_run_over_${name}`, above, below });
  });
  return [...own, ...ratios];
}

/** `cpuMs`: of the process itself, until then. */
async function start(command, request) {
  const port = await freePort();
  const [file, ...args] = command(port);
  const from = performance.now();
  const child = spawn(file, args, { stdio: 'ignore' });
  child.on('error', () => undefined); // told below
  while (!(await ask(port, request))) {
    if (child.pid === undefined || child.exitCode !== null) throw new Error(`${file} does not start`);
    await sleep(RETRY_MS);
  }
  const ms = performance.now() - from;
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { ms, cpuMs: threadCpuUs(child.pid) / 1000, url: `http://127.0.0.1:${port}`, stop };
}

/** False when nobody listens yet. An answer that is no success is an error. */
function ask(port, request) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!/\r\n\r\n.*[\]}]\n?$/s.test(text)) return;
      socket.destroy();
      if (/^HTTP\/1.1 200 /.test(text) && !/"status":"(?!Accepted)/.test(text)) resolve(true);
      else reject(new Error(`unexpected answer: ${text.slice(0, 300)}`));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(false));
  });
}

/**
 * What nobody shares, and with each shared page divided by all who share it, other programs of the machine
 * included.
 */
async function measureRest(contenders) {
  const servers = await Promise.all(
    contenders.map(async ({ name, command }) => ({ name, ...(await start(command, REQUESTS.run)) })),
  );
  await sleep(REST_MS);
  const figures = servers.flatMap(({ name, url }) => {
    const pids = serverProcesses(url);
    const bar = name === 'ours' ? IDLE_BAR_MIB : null;
    const row = (end, bytes, more = {}) =>
      figure({ name: `${name}_idle_${end}`, unit: 'MiB', samples: [bytes / 2 ** 20], ...more });
    return [row('pss', memoryOf(pids).pss, { bar }), row('private', privateBytesOf(pids))];
  });
  for (const { stop } of servers) await stop();
  return figures;
}
