// `sbx conform fathom`: our server keeps every rule; one that breaks some is told which.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { sbx } from '../cli/sbx.js';
import { useServer } from './server.js';

const served = useServer({ token: 'secret' });

interface Report {
  passed: number;
  failed: number;
  rules: { id: string; pass: boolean; reason: string | null }[];
}

test('our server keeps every rule', { timeout: 120_000 }, async () => {
  const { code, stdout } = await sbx(['conform', 'fathom', served.url, '--token', 'secret', '--json']);
  const report = JSON.parse(stdout) as Report;
  expect(report.rules.filter(({ pass }) => !pass)).toEqual([]);
  expect(report.passed).toBeGreaterThan(25);
  expect(code).toBe(0);
});

test('a server that breaks rules is told which', { timeout: 120_000 }, async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  // It acknowledges all, runs nothing, ends each as completed, and its time stamps have no milliseconds.
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { id } = JSON.parse(data.toString().replace(/^\{$/, '{}')) as { id?: string };
      const say = (fields: object) =>
        socket.send(JSON.stringify({ v: 1, ts: '2025-12-27T11:30:00Z', id, ...fields }));
      say({ type: 'ack' });
      say({ type: 'status', status: 'completed' });
      say({ type: 'result', exit_code: 0, duration_ms: 0 });
    });
  });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  const { code, stdout } = await sbx(['conform', 'fathom', url, '--timeout', '200ms', '--json']);
  const report = JSON.parse(stdout) as Report;
  const broken = report.rules.filter(({ pass }) => !pass).map(({ id }) => id);
  expect(broken).toEqual(
    expect.arrayContaining(['version-header', 'ping', 'success', 'timeout', 'language', 'envelope']),
  );
  expect(code).toBe(1);
  for (const client of server.clients) client.terminate();
  server.close();
});

// Nothing is waited for: with the default of 30 s for an answer, it is told at the first one.
test.each([
  ['{"requestId":""}', /no Fathom server: its first answer is a message without a type/],
  ['null', /no Fathom server: its first answer is a message that is no JSON object/],
  ['hello', /no Fathom server: its first answer is a message that is no JSON object/],
])('a server that answers %s', { timeout: 20_000 }, async (answer, text) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => socket.on('message', () => socket.send(answer)));
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  const { code, stderr } = await sbx(['conform', 'fathom', url]);
  expect({ code, stderr }).toEqual({ code: 74, stderr: expect.stringMatching(text) });
  for (const client of server.clients) client.terminate();
  server.close();
});

test.each([
  [['nowhere'], 64, /URL must be an address/],
  [['ws://127.0.0.1:1/ws'], 74, /cannot check/],
])('%j', async (args, exitCode, text) => {
  const { code, stderr } = await sbx(['conform', 'fathom', ...args]);
  expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringMatching(text) });
});
