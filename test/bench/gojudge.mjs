/**
 * go-judge servers by URL, side by side: the same requests to each in turn, round by round, so that the machine's moods fall
 * on all. Without a URL one of ours is started for it. CPU and memory are those of the process that listens and all below it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { figure } from './lib/figures.mjs';
import { cpuMs, load, makePoster, residentBytes, serverProcesses } from './lib/http-load.mjs';

export const title = 'go-judge servers: requests per second, latency, CPU, memory';

const ROUNDS = 5;
const ROUND_MS = 1000;
const LIMITS = { cpuLimit: 20e9, clockLimit: 30e9, memoryLimit: 256 * 2 ** 20, procLimit: 10 };

const collector = (name, max = 1024) => ({ name, max });
const cmd = (args, files, more = {}) => ({ args, env: ['PATH=/usr/bin:/bin'], files, ...LIMITS, ...more });
const outputs = [{ content: '' }, collector('stdout'), collector('stderr')];

const TRUE = JSON.stringify({ cmd: [cmd(['/bin/true'], outputs)] });
const CAT = JSON.stringify({
  cmd: [cmd(['/bin/cat', 'in'], outputs, { copyIn: { in: { content: 'x'.repeat(500) } } })],
});
const BIG = JSON.stringify({
  cmd: [
    cmd(
      ['/bin/sh', '-c', 'yes some text of a program | head -c 16777216'],
      [{ content: '' }, collector('stdout', 2 ** 25)],
    ),
  ],
});

/** Two programs that pass a line to and fro. */
function pingPong(proxy) {
  const ping = 'import sys\nfor i in range(2000):\n print(i, flush=True)\n input()';
  const pong = 'import sys\nfor line in sys.stdin:\n print(line, end="", flush=True)';
  const program = (code) => cmd(['/usr/bin/python3', '-c', code], [null, null, collector('stderr')]);
  const pipe = (from, to) => ({ in: { index: from, fd: 1 }, out: { index: to, fd: 0 }, proxy });
  return JSON.stringify({ cmd: [program(ping), program(pong)], pipeMapping: [pipe(0, 1), pipe(1, 0)] });
}

/** name → clients and body. */
const LOADS = [
  { name: 'true_1', clients: 1, body: TRUE },
  { name: 'true_2', clients: 2, body: TRUE },
  { name: 'true_8', clients: 8, body: TRUE },
  { name: 'true_64', clients: 64, body: TRUE },
  { name: 'cat_2', clients: 2, body: CAT },
  { name: 'stdout_16mib', clients: 1, body: BIG },
  { name: 'ping_pong_direct', clients: 1, body: pingPong(false) },
  { name: 'ping_pong_proxy', clients: 1, body: pingPong(true) },
];

/** `urls`: servers to compare; figures are named by their place in the list. */
export async function measure({ scale, urls = [] }) {
  const own = urls.length === 0 ? await startOwn() : null;
  const servers = (own === null ? urls : [own.url]).map((url, index) => ({
    url,
    name: `server${index + 1}`,
    post: makePoster(url, '/run'),
  }));
  const figures = [];
  for (const one of LOADS) figures.push(...(await compare(servers, one, scale)));
  for (const server of servers) figures.push(...(await overSocket(server, scale)));
  own?.process.kill('SIGTERM');
  return figures;
}

async function compare(servers, { name, clients, body }, scale) {
  const seen = new Map(servers.map((server) => [server, { samples: [], ms: 0, cpu: 0 }]));
  for (let round = 0; round < Math.max(1, ROUNDS * scale); round += 1) {
    for (const server of servers) {
      const before = cpuMs(serverProcesses(server.url));
      const { samples, ms } = await load(clients, ROUND_MS * Math.max(0.3, scale), () =>
        checked(server.post(body)),
      );
      const one = seen.get(server);
      one.samples.push(...samples);
      one.ms += ms;
      one.cpu += cpuMs(serverProcesses(server.url)) - before;
    }
  }
  return servers.flatMap((server) => toFigures(`${server.name}_${name}`, seen.get(server), server.url));
}

function toFigures(name, { samples, ms, cpu }, url) {
  return [
    figure({ name: `${name}_ms`, unit: 'ms', samples }),
    figure({
      name: `${name}_per_s`,
      unit: '1/s',
      samples,
      value: (samples.length / ms) * 1000,
      better: 'more',
    }),
    figure({ name: `${name}_server_cpu_ms`, unit: 'ms', samples, value: cpu / samples.length }),
    figure({
      name: `${name}_resident_mib`,
      unit: 'MiB',
      samples,
      value: residentBytes(serverProcesses(url)) / 2 ** 20,
    }),
  ];
}

async function checked(answer) {
  const text = (await answer).subarray(0, 100).toString();
  if (!text.startsWith('[{"status":"Accepted"')) throw new Error(`unexpected answer: ${text}`);
}

/** 64 requests in flight on one connection. */
async function overSocket({ url, name }, scale) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  const samples = [];
  const sentAt = new Map();
  let next = 0;
  const end = performance.now() + ROUND_MS * Math.max(0.3, scale) * 2;
  const send = () => {
    const requestId = `${next++}`;
    sentAt.set(requestId, performance.now());
    socket.send(JSON.stringify({ requestId, ...JSON.parse(TRUE) }));
  };
  const start = performance.now();
  await new Promise((resolve) => {
    socket.on('message', (data) => {
      const { requestId } = JSON.parse(data.toString());
      samples.push(performance.now() - sentAt.get(requestId));
      sentAt.delete(requestId);
      if (performance.now() < end) send();
      else if (sentAt.size === 0) resolve();
    });
    for (let count = 0; count < 64; count += 1) send();
  });
  const ms = performance.now() - start;
  socket.close();
  return [
    figure({ name: `${name}_ws_64_ms`, unit: 'ms', samples }),
    figure({
      name: `${name}_ws_64_per_s`,
      unit: '1/s',
      samples,
      value: (samples.length / ms) * 1000,
      better: 'more',
    }),
  ];
}

/** Our server in a process of its own, as users start it. */
async function startOwn() {
  const bin = new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url).pathname;
  const args = [bin, '-http-addr', '127.0.0.1:0', '-parallelism', '2', '-mount-conf', 'none.yaml'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of child.stderr) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0];
    if (url !== undefined) return { process: child, url };
  }
  throw new Error('the server did not start');
}
