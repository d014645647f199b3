// Requests that come without waiting for answers.
import { once } from 'node:events';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { useServer } from './server.js';

const NS_PER_MS = 1e6;
const open = useServer();

test('many of them in one write keep no other client waiting', async () => {
  const { port } = new URL(open.url);
  const client = connect(Number(port), '127.0.0.1');
  await once(client, 'connect');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  client.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1500));
  const [first] = await once(client, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(await (await fetch(`${open.url}/healthz`)).text()).toBe('ok\n');
  delay.disable();
  client.destroy();
  expect(delay.max / NS_PER_MS).toBeLessThan(1000);
});
