// Connects to a server of the host (port in the first argument) and to one of the internet.
import { connect } from 'node:net';

const canConnect = (port, host) =>
  new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1000 });
    socket.on('connect', () => resolve(true));
    for (const event of ['error', 'timeout']) socket.on(event, () => resolve(false));
  });

const results = await Promise.all([
  canConnect(Number(process.argv[2]), '127.0.0.1'),
  canConnect(53, '1.1.1.1'),
]);
console.log(results.some(Boolean) ? 'connected' : 'refused');
process.exit();
