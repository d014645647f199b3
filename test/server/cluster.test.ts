// `sbx serve --cluster`: every protocol that can travel on one port, its programs on workers.
import { once } from 'node:events';
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import { expect, test } from 'vitest';
import { said, sbx, startSbx } from '../cli/sbx.js';
import { useNats } from '../cluster/nats.js';
import { startWorkerProcess } from '../cluster/nodes.js';

const nats = useNats();

const serve = (...flags: string[]) => startSbx(['serve', '--cluster', nats.url, '--port', '0', ...flags]);

test('a signal ends it also while it waits for a worker', { timeout: 60_000 }, async () => {
  const child = serve();
  const end = once(child, 'close');
  await said(child, /no worker is there yet/);
  child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
});

test('go-judge, Fathom, console and metrics, and what cannot travel is said', {
  timeout: 60_000,
}, async () => {
  const worker = await startWorkerProcess({ servers: nats.url, slots: 2 });
  const child = serve();
  const end = once(child, 'close');
  const isSaid = said(child, /mcp is not served: its sandboxes/);
  const [, url] = await said(child, /"urls":\["(http[^"]+)"\],"protocols":\["gojudge","fathom"\]/);
  await isSaid;
  await using gojudge = new GojudgeClient({ url: url! });
  expect((await gojudge.run({ args: ['/bin/echo', 'x'] })).stdout).toBe('x\n');
  await using run = await gojudge.interact({ args: ['/bin/echo', 'live'] });
  expect(await run.text()).toBe('live\n');
  await using fathom = new FathomClient({ url: `${url}/fathom` });
  expect((await fathom.execute({ language: 'shell', code: 'echo y' })).stdout).toBe('y\n');
  const textOf = async (path: string) => (await fetch(url + path)).text();
  expect(await textOf('/')).toContain('<!doctype html>');
  expect(await textOf('/metrics')).toMatch(/^sbx_cluster_workers 1$/m);
  expect(await textOf('/readyz')).toBe('ok\n');
  expect((await fetch(`${url}/mcp`)).status).toBe(404);
  await worker.kill('SIGTERM');
  await expect.poll(() => textOf('/readyz')).toBe('no worker of the cluster takes jobs\n');
  child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
});

test.each([
  [['--root', 'minimal'], /--root is of an engine on this machine, and --cluster has none/],
  [['--standby', 'python=1'], /--standby is of an engine on this machine/],
  [['--allow-degraded'], /--allow-degraded is of an engine on this machine/],
  [['--protocols', 'gojudge,mcp'], /--protocols must not name mcp where programs run on other machines/],
])('%j is refused beside --cluster', async (flags, message) => {
  const { code, stderr } = await sbx(['serve', '--cluster', nats.url, ...flags]);
  expect(stderr).toMatch(message);
  expect(code).toBe(64);
});

test('credentials are for a cluster', async () => {
  const { code, stderr } = await sbx(['serve', '--credentials', 'x.creds']);
  expect(stderr).toMatch(/--credentials is for --cluster/);
  expect(code).toBe(64);
});
