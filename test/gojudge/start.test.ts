// What a start loads, and what only those who ask for it pay.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { cmd, post, useServer } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bin = new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url).pathname;

/** Writes each module that is loaded by name into a file: they are those of other packages. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
const hooks = \`
import { appendFileSync } from 'node:fs';
export function resolve(name, context, next) {
  if (/^[a-z@]/.test(name) && !/^(node|file|data):/.test(name)) appendFileSync(process.env.RECORD, name + '\\\\n');
  return next(name, context);
}\`;
register('data:text/javascript,' + encodeURIComponent(hooks));
`;

test('the first answers need no module but ours and those of Node', { timeout: 30_000 }, async () => {
  const record = join(folder, 'record');
  const recorder = join(folder, 'recorder.mjs');
  writeFileSync(recorder, RECORDER);
  writeFileSync(record, '');
  const child = spawn(process.execPath, ['--import', recorder, bin, '-http-addr', '127.0.0.1:0'], {
    cwd: folder, // without mount.yaml
    env: { ...process.env, RECORD: record },
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
  const loaded = readFileSync(record, 'utf8')
    .split('\n')
    .filter((name) => name !== '' && !Module.isBuiltin(name));
  expect([...new Set(loaded)].sort()).toEqual(['@sbx/core', '@sbx/gojudge-client/wire']);
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
