// A server that takes connections and says nothing: no call may wait for it longer than its caller.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GojudgeClient } from './node.js';

const COMMAND = { args: ['/bin/true'] };
const sockets = new Set<Socket>();
let server: Server;
let client: GojudgeClient;

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new GojudgeClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
  ['run', (signal) => client.run(COMMAND, { signal })],
  ['interact', (signal) => client.interact(COMMAND, { signal })],
  ['connect', (signal) => client.connect({ signal })],
  ['version', (signal) => client.version({ signal })],
  ['config', (signal) => client.config({ signal })],
  ['supports', (signal) => client.supports('stream', { signal })],
  ['list', (signal) => client.list({ signal })],
  ['delete', (signal) => client.delete('id', { signal })],
])('%s is given up with its signal, and so is its connection', async (_, call) => {
  const controller = new AbortController();
  const calling = call(controller.signal);
  calling.catch(() => undefined); // told below
  await expect.poll(() => sockets.size).toBe(1);
  controller.abort(new Error('enough'));
  await expect(calling).rejects.toThrow('enough');
  await expect.poll(() => sockets.size).toBe(0);
});
