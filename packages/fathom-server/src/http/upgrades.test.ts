// Who may connect, over real connections; nothing is ever executed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { executeSchema } from '@sbx/fathom-client/schemas';
import { RequestRoom, Unsent } from '@sbx/serving';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Admission } from '../admission.js';
import type { Host } from '../connection/connection.js';
import { fieldsOf } from '../connection/request.js';
import { ServerMetrics } from '../metrics.js';
import { parseOptions } from '../options.js';
import { Upgrades } from './upgrades.js';

type Objection = 'no-token' | 'foreign-page' | null;
let objection: Objection = null;
let host: Host;
let upgrades: Upgrades;
let server: Server;

beforeAll(async () => {
  server = createServer().on('upgrade', (request, socket, head) => upgrades.upgrade(request, socket, head));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  objection = null;
  const options = { ...parseOptions({}), connectionCountMax: 1 };
  const bounds = { places: 1, queueLength: 0, sparePlaces: 1, spareQueueLength: 0 };
  host = {
    options,
    rules: { execute: fieldsOf(executeSchema(options)), languages: new Set(['python']) },
    runtime: {} as Host['runtime'],
    admission: new Admission({ ...bounds, sharePlaces: 1, shareQueueLength: 0 }),
    room: new RequestRoom({ bytesMax: 2 ** 20, waitingMax: 0 }),
    unsent: new Unsent(2 ** 20),
    metrics: new ServerMetrics(),
    isClosing: false,
  };
  upgrades = new Upgrades(host, () => objection);
});

interface Attempt {
  path?: string;
  protocols?: string[];
  version?: string;
}

function connect({ path = '/ws', protocols = [], version }: Attempt = {}): WebSocket {
  const headers = version === undefined ? {} : { 'X-Protocol-Version': version };
  const { port } = server.address() as AddressInfo;
  return new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
}

/** Status of the answer in the place of an upgrade. */
async function refusal(attempt: Attempt = {}): Promise<number> {
  const socket = connect(attempt);
  const status = new Promise<number>((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
    socket.on('open', () => reject(new Error('it was let in')));
  });
  socket.on('error', () => undefined);
  try {
    return await status;
  } finally {
    socket.terminate();
  }
}

it.each<[string, Objection, Attempt, number]>([
  ['another path', null, { path: '/other' }, 404],
  ['no token', 'no-token', {}, 401],
  ['a page of somebody else', 'foreign-page', {}, 403],
])('%s is refused before it is open', async (_, why, attempt, status) => {
  objection = why;
  expect(await refusal(attempt)).toBe(status);
  expect(upgrades.openCount).toBe(0);
});

it('beyond so many connections, and while it closes, nobody is let in', async () => {
  const first = connect();
  await once(first, 'open');
  expect(upgrades.openCount).toBe(1);
  expect(await refusal()).toBe(503);
  first.close();
  await expect.poll(() => upgrades.openCount, { timeout: 10_000 }).toBe(0);
  host.isClosing = true;
  expect(await refusal()).toBe(503);
});

it('who can send a token as a subprotocol only is told on the open connection', async () => {
  objection = 'no-token';
  const socket = connect({ protocols: ['fathom.v1'] });
  const [code] = await once(socket, 'close');
  expect([code, socket.protocol, upgrades.openCount]).toEqual([4401, 'fathom.v1', 0]);
});

it('another version is told which one there is', async () => {
  const socket = connect({ version: '2' });
  const [data] = await once(socket, 'message');
  expect(JSON.parse(String(data))).toMatchObject({ type: 'error', code: 'INVALID_REQUEST' });
  await once(socket, 'close');
  expect(upgrades.openCount).toBe(0);
});

it('all that are open are told when the server closes', async () => {
  const socket = connect();
  await once(socket, 'open');
  upgrades.close();
  const [code] = await once(socket, 'close');
  expect(code).toBe(1001);
  await upgrades.idle();
});

it('messages that have not come whole have a bound together, with or without pings between their parts', async () => {
  upgrades = new Upgrades(host, () => objection, 1000);
  const socket = connect();
  await once(socket, 'open');
  for (let part = 0; part < 3; part += 1) {
    socket.send('x'.repeat(400), { fin: false });
    socket.ping();
  }
  const [code] = await once(socket, 'close');
  expect(code).toBe(1006);
});
