// The protocol's own suite against `sbx serve mcp --http`. What it fails is listed, with reasons, in
// conformance/expected-failures.yml.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { runSuite } from '../helpers/foreign.js';

const baseline = join(import.meta.dirname, 'conformance/expected-failures.yml');
const sbx = join(import.meta.dirname, '../../packages/cli/bin/sbx.mjs');

/** What it prints when it is ready is its addresses. */
async function startServer(): Promise<{ url: string; end: () => Promise<number> }> {
  const args = [sbx, 'serve', 'mcp', '--http', '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const { urls } = JSON.parse(line) as { urls: string[] };
    const end = async () => {
      child.kill('SIGTERM');
      return (await exit)[0] as number;
    };
    return { url: urls[0]!, end };
  }
  throw new Error('sbx serve mcp ended before it was ready');
}

test('the scenarios that have no fixtures of their own pass, and no others fail', {
  timeout: 300_000,
}, async () => {
  const { url, end } = await startServer();
  const args = ['server', '--suite', 'all', '--url', url, '--expected-failures', baseline];
  const { code, output } = await runSuite('mcp-conformance', args).finally(async () =>
    expect(await end()).toBe(0),
  );
  expect(code, output).toBe(0);
  const passed = [...output.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name);
  expect(passed).toEqual([
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'dns-rebinding-protection',
  ]);
});
