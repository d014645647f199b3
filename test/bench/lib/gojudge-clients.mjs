/** Clients of a small `/run`, each a connection of its own. */
import { expectAccepted, LOADS, runRequest } from './gojudge-loads.mjs';
import { Connection } from './http-client.mjs';

/** `work(ms)` resolves with the number of runs. */
export function openClients(url, clients) {
  const connections = Array.from({ length: clients }, () => new Connection(url));
  const bytes = runRequest(LOADS[0].request({}));
  const work = async (ms) => {
    const end = performance.now() + ms;
    let count = 0;
    const loop = async (connection) => {
      for (; performance.now() < end; count += 1) expectAccepted(await connection.send(bytes));
    };
    await Promise.all(connections.map(loop));
    return count;
  };
  const close = () => {
    for (const connection of connections) connection.close();
  };
  return { work, close };
}
