// What the server opens, what it says of itself, and what it closes, with no engine behind it.
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineOptions, Runner } from '@sbx/core';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import type { FathomServerOptions } from './options.js';

const closed: string[] = [];
const runnerOf = (name: string) => ({
  isReady: true,
  run: async () => ({}),
  runGroup: async () => ({}),
  spawn: async () => ({}),
  info: () => ({}),
  counters: () => ({}),
  close: async () => void closed.push(name),
});
const openEngine = vi.fn(async (_options: EngineOptions) => runnerOf('own engine'));
const openRuntime = vi.fn(async () => ({
  names: ['python'],
  ready: async () => undefined,
  standbyCounts: () => ({}),
  close: async () => void closed.push('runtime'),
}));
vi.resetModules();
vi.doMock('@sbx/core', async (original) => ({
  ...(await original<object>()),
  Engine: { open: openEngine },
}));
vi.doMock('./runtime.js', () => ({ Runtime: { open: openRuntime } }));
const { createFathomServer } = await import('./server.js');
const { minimalRoot } = await import('@sbx/languages');
afterAll(() => {
  vi.doUnmock('@sbx/core');
  vi.doUnmock('./runtime.js');
  vi.resetModules();
});

beforeEach(() => {
  closed.length = 0;
  vi.clearAllMocks();
});

const open = (options: FathomServerOptions = {}) => createFathomServer({ port: 0, ...options });
const opened = () => openEngine.mock.lastCall![0];

it('its own engine has room for what runs, is parked, waits ahead and is asked; few are made ready', async () => {
  await using _one = await open({ parallelism: 8, standby: { python: 3, javascript: 2 } });
  expect(opened()).toMatchObject({ maxSandboxes: 8 * 2 + 2 + 5 + 64, readyCount: 8 });
  await using _many = await open({ parallelism: 100, standby: {} });
  expect(opened()).toMatchObject({ maxSandboxes: 100 * 2 + 25 + 64, readyCount: 16 });
});

it('its root is the host’s, or what the languages need', async () => {
  await using _one = await open();
  const { root, mounts } = opened();
  expect(root).toBe('host');
  expect(opened()).not.toHaveProperty('require');
  await using _other = await open({ root: 'minimal', languages: ['python'], require: ['swap-limit'] });
  expect(opened()).toMatchObject({ root: minimalRoot(['python']), require: ['swap-limit'] });
  expect(opened().mounts!.length).toBeLessThan(mounts!.length);
});

it('an engine of its own is closed last, one of the caller stays open; twice is once', async () => {
  const own = await open();
  await Promise.all([own.close(), own.close()]);
  expect(closed).toEqual(['runtime', 'own engine']);
  closed.length = 0;
  const engine = runnerOf('the caller’s') as unknown as Runner;
  const server = await open({ engine });
  expect(server.engine).toBe(engine);
  await server.close();
  expect(closed).toEqual(['runtime']);
  expect(openEngine).toHaveBeenCalledTimes(1);
});

it('where no language is there its own engine is closed, and the caller’s is not', async () => {
  const none = new Error('no language');
  openRuntime.mockRejectedValueOnce(none);
  await expect(open()).rejects.toBe(none);
  expect(closed).toEqual(['own engine']);
  openRuntime.mockRejectedValueOnce(none);
  await expect(open({ engine: runnerOf('the caller’s') as unknown as Runner })).rejects.toBe(none);
  expect(closed).toEqual(['own engine']);
});

it('listens where it is told, is ready until it closes, and nobody is served afterwards', async () => {
  const server = await open({ path: '/socket' });
  const { urls } = await server.listen();
  expect(urls).toEqual([expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/socket$/)]);
  const health = urls[0]!.replace('ws', 'http').replace('/socket', '/readyz');
  expect(await statusOf(health)).toBe(200);
  await server.close();
  await expect(statusOf(health)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('one that is mounted elsewhere says while it closes, and without its engine, that it is not ready', async () => {
  const engine = runnerOf('the caller’s');
  const server = await open({ engine: engine as unknown as Runner });
  const host = createServer(server.handler).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const ready = `http://127.0.0.1:${(host.address() as AddressInfo).port}/readyz`;
  try {
    expect(await statusOf(ready)).toBe(200);
    engine.isReady = false;
    expect(await statusOf(ready)).toBe(503);
    engine.isReady = true;
    await server.close();
    expect(await statusOf(ready)).toBe(503);
  } finally {
    host.close();
  }
});

it('its page of metrics has those of an engine that has some', async () => {
  await using plain = await open({ engine: runnerOf('plain') as unknown as Runner });
  const own = await plain.metrics();
  expect(own).toMatch(/^sbx_fathom_active_executions 0$/m);
  const engine = { ...runnerOf('counted'), metrics: () => 'sbx_cluster_workers 2\n' };
  await using counted = await open({ engine: engine as unknown as Runner });
  expect(await counted.metrics()).toMatch(/sbx_fathom_active_executions 0[\s\S]*\nsbx_cluster_workers 2\n/);
  expect([plain.load(), plain.languages]).toEqual([{ active: 0, waiting: 0 }, ['python']]);
});

function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).on('error', reject);
  });
}
