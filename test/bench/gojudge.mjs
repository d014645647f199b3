/**
 * Servers that speak go-judge's protocol, side by side: each load on each of them in turn, round by round, so
 * that the machine's moods fall on all. Without a URL one of ours is started for it. With several, the first
 * is compared to each of the others: the ratios have bars. CPU and memory are those of the process that
 * listens and all below it; `machine` is what the whole machine spent but for this process, and means
 * something on a quiet one alone.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { figure } from './lib/figures.mjs';
import {
  ACCEPTED,
  deleteFiles,
  expectAccepted,
  KILLS,
  LOADS,
  runRequest,
  uploadFiles,
} from './lib/gojudge-loads.mjs';
import { startOwn } from './lib/gojudge-own.mjs';
import { Connection, makeRequest } from './lib/http-client.mjs';
import { machineCpuMs } from './lib/machine.mjs';
import { cpuMs, residentBytes, serverProcesses } from './lib/server-processes.mjs';
import { p50, p99, sum } from './lib/stats.mjs';

export const title = 'go-judge servers: requests per second, latency, CPU, memory';

/** Short: a shared machine's moods last for seconds, and neighbours in time share them. */
const ROUNDS = 18;
const ROUND_MS = 500;
const WARM_UP_MS = 300;
const FIRST_MS = 1500;
const FIRST_WARM_UP = { ms: 10_000, clients: 8 };
const KILL_ROUNDS = 8;
const KILL_LATE_BAR_MS = 10;

/** `urls`: servers to compare; figures are named by their place in the list. */
export async function measure({ scale, urls = [], only }) {
  const own = urls.length === 0 ? await startOwn() : null;
  const servers = await Promise.all((own === null ? urls : [own.url]).map(prepare));
  const figures = [];
  try {
    figures.push(...(await measureFirst(servers, scale)));
    for (const load of LOADS.filter(({ name }) => only === undefined || name.includes(only))) {
      const measured = await measureLoad(servers, load, scale);
      figures.push(...measured.flatMap(toFigures), ...ratios(measured, load));
    }
    for (const kill of KILLS) figures.push(...(await measureKill(servers, kill, scale)));
    figures.push(...residentFigures(servers));
  } finally {
    for (const { url, ids } of servers) await deleteFiles(url, ids);
    own?.process.kill('SIGTERM');
  }
  return figures;
}

async function prepare(url, index) {
  return { url, name: `server${index + 1}`, ids: await uploadFiles(url) };
}

/**
 * Each server as it is found, by one client; a fresh one may still compile its code. Then all are warmed up,
 * lest the first load be measured otherwise than the others. Without a bar: whether a server is fresh is not
 * ours to know.
 */
async function measureFirst(servers, scale) {
  const figures = [];
  for (const server of servers) {
    const talk = await openClients(server, { ...LOADS[0], clients: FIRST_WARM_UP.clients });
    const { samples, ms } = await drive(talk, 1, FIRST_MS * scale);
    const value = (samples.length / ms) * 1000;
    const name = `${server.name}_first_per_s`;
    figures.push(figure({ name, unit: '1/s', samples: [value], better: 'more' }));
    await drive(talk, FIRST_WARM_UP.clients, FIRST_WARM_UP.ms * scale);
    talk.close();
  }
  return figures;
}

// A load, round by round

async function measureLoad(servers, load, scale) {
  const measured = servers.map((server) => ({ server, load, rounds: [] }));
  const talks = await Promise.all(
    servers.map((server) => (load.socket ? openSocket : openClients)(server, load)),
  );
  for (const talk of talks) await drive(talk, load.clients, WARM_UP_MS * scale);
  for (let round = 0; round < Math.max(2, (load.rounds ?? ROUNDS) * scale); round += 1) {
    for (let place = 0; place < servers.length; place += 1) {
      const index = (place + round) % servers.length; // nobody is always first
      measured[index].rounds.push(await measureRound(talks[index], servers[index], load, scale));
    }
  }
  for (const talk of talks) talk.close();
  return measured;
}

async function measureRound(talk, { url }, { clients }, scale) {
  const before = costs(url);
  const { samples, ms } = await drive(talk, clients, ROUND_MS * scale);
  const after = costs(url);
  return { samples, ms, cpu: after.server - before.server, machine: after.machine - before.machine };
}

function costs(url) {
  const { user, system } = process.cpuUsage();
  return { server: cpuMs(serverProcesses(url)), machine: machineCpuMs() - (user + system) / 1000 };
}

/** `clients` loops for `ms`; the samples, and how long it took in all. */
async function drive({ ask }, clients, ms) {
  const samples = [];
  const start = performance.now();
  const loop = async (_, client) => {
    do {
      const from = performance.now();
      const finish = await ask(client);
      samples.push(performance.now() - from);
      await finish?.();
    } while (performance.now() - start < ms);
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return { samples, ms: performance.now() - start };
}

// Ways to ask

/** A connection for each client. What a run left in the store is deleted, outside of its time. */
async function openClients({ url, ids }, { clients, request }) {
  const connections = Array.from({ length: clients }, () => new Connection(url));
  const bytes = runRequest(request(ids));
  const ask = async (client) => {
    const answer = await connections[client].send(bytes);
    expectAccepted(answer);
    const fileId = /"fileIds":\{"\w+":"(\w+)"/.exec(answer.body.subarray(-300).toString('latin1'))?.[1];
    if (fileId === undefined) return undefined;
    return () => connections[client].send(makeRequest({ method: 'DELETE', path: `/file/${fileId}` }));
  };
  const close = () => {
    for (const connection of connections) connection.close();
  };
  return { ask, close };
}

/** One connection for all. */
async function openSocket({ url, ids }, { request }) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  const waiting = new Map();
  const body = JSON.stringify(request(ids)).slice(1);
  let next = 0;
  socket.on('message', (data) => {
    const text = data.toString();
    const requestId = /"requestId":"(\w+)"/.exec(text)[1];
    if (!text.includes(ACCEPTED)) throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
    waiting.get(requestId)();
    waiting.delete(requestId);
  });
  const ask = () =>
    new Promise((resolve) => {
      const requestId = `${next++}`;
      waiting.set(requestId, resolve);
      socket.send(`{"requestId":"${requestId}",${body}`);
    });
  return { ask, close: () => socket.close() };
}

// Figures

const samplesOf = ({ rounds }) => rounds.flatMap(({ samples }) => samples);
const rateOf = (measured) => (samplesOf(measured).length / sum(measured.rounds.map(({ ms }) => ms))) * 1000;
const perRequest = (measured, cost) =>
  sum(measured.rounds.map((round) => round[cost])) / samplesOf(measured).length;

function toFigures(measured) {
  const name = `${measured.server.name}_${measured.load.name}`;
  const { rounds } = measured;
  const perRound = (value) => rounds.map(value);
  const one = (end, unit, { value, samples, better }) =>
    figure({ name: `${name}_${end}`, unit, samples, value, better });
  const cost = (key) => ({
    value: perRequest(measured, key),
    samples: perRound((round) => round[key] / round.samples.length),
  });
  const samples = samplesOf(measured);
  return [
    one('ms', 'ms', { value: p50(samples), samples }),
    one('per_s', '1/s', {
      value: rateOf(measured),
      samples: perRound(({ samples: { length }, ms }) => (length / ms) * 1000),
      better: 'more',
    }),
    one('cpu_ms', 'ms', cost('cpu')),
    one('machine_cpu_ms', 'ms', cost('machine')),
  ];
}

/** The first server by each of the others. */
function ratios([ours, ...others], { name, bars }) {
  const rows = {
    per_s: [rateOf, 'more'],
    p50: [(measured) => p50(samplesOf(measured)), 'less'],
    p99: [(measured) => p99(samplesOf(measured)), 'less'],
    cpu: [(measured) => perRequest(measured, 'cpu'), 'less'],
  };
  return others.flatMap((other) =>
    Object.entries(rows).map(([end, [pick, better]]) =>
      figure({
        name: `${name}_${end}_by_${other.server.name}`,
        unit: 'ratio',
        samples: [pick(ours) / pick(other)],
        bar: bars[end] ?? null,
        better,
      }),
    ),
  );
}

/** ms past the limit; the bar is for ours alone. */
async function measureKill(servers, { name, figure: key, limitMs, request }, scale) {
  const late = servers.map(() => []);
  for (let round = 0; round < Math.max(2, KILL_ROUNDS * scale); round += 1) {
    for (const [index, { url }] of servers.entries()) {
      const response = await fetch(`${url}/run`, { method: 'POST', body: JSON.stringify(request) });
      const [result] = await response.json();
      if (result.status !== 'Time Limit Exceeded') throw new Error(`unexpected: ${result.status}`);
      late[index].push(result[key] / 1e6 - limitMs);
    }
  }
  return servers.map((server, index) =>
    figure({
      name: `${server.name}_${name}`,
      unit: 'ms',
      samples: late[index],
      bar: index === 0 ? KILL_LATE_BAR_MS : null,
    }),
  );
}

function residentFigures(servers) {
  const mib = servers.map(({ url }) => residentBytes(serverProcesses(url)) / 2 ** 20);
  const counts = servers.map(({ url }) => serverProcesses(url).length);
  return [
    ...servers.flatMap(({ name }, index) => [
      figure({ name: `${name}_resident`, unit: 'MiB', samples: [mib[index]] }),
      figure({ name: `${name}_processes`, unit: 'count', samples: [counts[index]] }),
    ]),
    ...servers
      .slice(1)
      .map(({ name }, index) =>
        figure({ name: `resident_by_${name}`, unit: 'ratio', samples: [mib[0] / mib[index + 1]], bar: 1 }),
      ),
  ];
}
