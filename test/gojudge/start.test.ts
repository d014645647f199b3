// What a start loads, and what only those who ask for it pay.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LoadedPackages } from '../helpers/loaded-packages.js';
import { cmd, post, useServer } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bin = new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url).pathname;

test('the first answers need no module but ours and those of Node', { timeout: 30_000 }, async () => {
  using loaded = new LoadedPackages();
  const child = spawn(process.execPath, [...loaded.args, bin, '-http-addr', '127.0.0.1:0'], {
    cwd: folder, // without mount.yaml
    env: { ...process.env, ...loaded.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  await expect.poll(() => log, { timeout: 20_000 }).toContain('listening');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(log)![0];
  expect(await (await fetch(`${url}/version`)).json()).toMatchObject({ stream: true });
  expect(await (await post(url, { cmd: [cmd(['/bin/true'])] })).text()).toContain('"status":"Accepted"');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(loaded.names).toEqual(['@sbx/core', '@sbx/gojudge-client/wire']);
});

const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
const load = loader._load;
afterEach(() => {
  loader._load = load;
});

const served = useServer();

function upgradeStatus(): Promise<number | undefined> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${served.url}/ws`, { headers }).end();
    asked.on('error', reject);
    asked.on('response', ({ statusCode }) => resolve(statusCode));
    asked.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode);
    });
  });
}

test('an upgrade while nothing more can be loaded is refused, and the next one is not', async () => {
  loader._load = (name, ...rest) => {
    if (name === 'ws') throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return load(name, ...rest);
  };
  expect(await upgradeStatus()).toBe(503);
  expect(await (await fetch(`${served.url}/version`)).json()).toMatchObject({ stream: true });
  loader._load = load;
  expect(await upgradeStatus()).toBe(101);
});

test('the first WebSocket of a server is served', async () => {
  const socket = new WebSocket(`${served.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ requestId: 'a', cmd: [cmd(['/bin/true'])] }));
  const [data] = await once(socket, 'message');
  expect(String(data)).toContain('"status":"Accepted"');
  socket.close();
  await once(socket, 'close');
});
