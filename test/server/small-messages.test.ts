// Messages of WebSockets that come without waiting for answers.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useServer } from './server.js';

const open = useServer();
/** As many as one read brings. */
const COUNT = 8000;
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
/** A masked text frame of `{}`. */
const MESSAGE = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);

test.each([
  ['/ws', /"error":"empty request id"/g],
  ['/fathom', /"type":"error"/g],
  ['/console/ws', /"type":"refused"/g],
])('many of them in one read are spread over turns of the loop: %s', async (path, answer) => {
  const { port, host } = new URL(open.url);
  const client = connect(Number(port), '127.0.0.1');
  await once(client, 'connect');
  client.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${UPGRADE}\r\n\r\n`);
  await once(client, 'data');
  let text = '';
  client.setEncoding('latin1').on('data', (data) => (text += data));
  client.write(Buffer.concat(Array.from({ length: COUNT }, () => MESSAGE)));
  let turns = 0;
  const end = performance.now() + 10_000;
  const isAnswered = () => text.match(answer)?.length === COUNT;
  for (; performance.now() < end && !isAnswered(); turns += 1) await turn();
  expect(text.match(answer)).toHaveLength(COUNT);
  expect(turns).toBeGreaterThan(COUNT / 100);
  client.destroy();
});
