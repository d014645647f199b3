/** One broker, or three that are one, and what they have done so far. */
import { readFileSync } from 'node:fs';
import { freePort } from '../../helpers/free-port.mjs';
import { startBroker } from './nats.mjs';
import { sum } from './stats.mjs';

export async function startBrokers(count) {
  const monitors = await Promise.all(Array.from({ length: count }, freePort));
  const routes = await Promise.all(Array.from({ length: count }, freePort));
  const all = routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
  const argsOf = (index) => [
    ...['-m', `${monitors[index]}`],
    ...(count === 1 ? [] : ['--name', `n${index}`, '--cluster_name', 'bench']),
    ...(count === 1 ? [] : ['--cluster', `nats://127.0.0.1:${routes[index]}`, '--routes', all]),
  ];
  const brokers = await Promise.all(monitors.map((_port, index) => startBroker(argsOf(index))));
  const monitored = brokers.map((each, index) => ({
    ...each,
    monitor: `http://127.0.0.1:${monitors[index]}`,
  }));
  await Promise.all(monitored.map(healthy));
  return monitored;
}

/** Until it has a leader to ask for streams. */
async function healthy({ monitor }) {
  while (!(await fetch(`${monitor}/healthz`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Of all servers together, since their starts. */
export async function loadOf(brokers) {
  const all = await Promise.all(brokers.map(loadOfOne));
  return Object.fromEntries(Object.keys(all[0]).map((name) => [name, sum(all.map((each) => each[name]))]));
}

async function loadOfOne({ monitor, pid, cpuTimeMs }) {
  // The server ends connections that are kept open, at any moment.
  const headers = { connection: 'close' };
  const ask = async (page) => (await fetch(`${monitor}/${page}`, { headers })).json();
  const { connections } = await ask('connz?limit=10000');
  const { routes = [] } = await ask('routez');
  const total = (list, name) => sum(list.map((each) => each[name]));
  const [, written] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'));
  return {
    cpus: cpuTimeMs() / 1000,
    messagesIn: total(connections, 'in_msgs'),
    messagesOut: total(connections, 'out_msgs'),
    bytesIn: total(connections, 'in_bytes'),
    bytesOut: total(connections, 'out_bytes'),
    bytesOfRoutes: total(routes, 'out_bytes'),
    bytesWritten: Number(written),
  };
}
