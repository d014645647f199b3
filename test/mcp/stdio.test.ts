// The commands, as hosts start them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { ERAS, TestClient } from './server.js';

const root = join(import.meta.dirname, '../..');
const OWN = join(root, 'packages/mcp/bin/sbx-mcp.mjs');
const CLI = join(root, 'packages/cli/bin/sbx.mjs');

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.each([
  ['sbx-mcp', [OWN]],
  ['sbx serve mcp', [CLI, 'serve', 'mcp']],
])('%s', (_, args) => {
  test.each(ERAS)('serves a host over stdin and stdout, %s', { timeout: 60_000 }, async (era) => {
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
    await using client = await TestClient.over(transport, era);
    await client.call('write_file', { path: 'x', content: 'stays' });
    // One connection is one session, whatever the era.
    expect((await client.call('run_command', { command: 'cat x' })).fields.stdout).toBe('stays');
    const { resources } = await client.client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(['x']);
    const { pid } = transport;
    await client.client.close();
    await until(5000, 'it ends', () => !isAlive(pid!));
  });

  test('ends with 0 when its input ends, and on a signal', { timeout: 60_000 }, async () => {
    const byEnd = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    byEnd.stdin.end();
    expect(await once(byEnd, 'exit')).toEqual([0, null]);
    const bySignal = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    bySignal.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(bySignal.stdout, 'data');
    bySignal.kill('SIGTERM');
    expect(await once(bySignal, 'exit')).toEqual([0, null]);
  });

  test('serves over HTTP, and says where', { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, [...args, '--http', '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env },
    });
    const log: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => log.push(chunk));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { urls } = JSON.parse(line.toString());
    await using client = await TestClient.overHttp(urls[0], 'legacy');
    const { fields } = await client.call('run_code', {
      language: 'python',
      code: 'print("hidden" + "text")',
    });
    expect(fields.stdout).toBe('hiddentext\n');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(Buffer.concat(log).toString()).toMatch(/"msg":"ready: http:/);
    expect(Buffer.concat(log).toString()).not.toContain('hidden');
  });

  test.each([
    [['--nope'], /--nope/],
    [['--port', '8766'], /--port needs --http/],
    [['--http', '--port', 'x'], /--port: "x" is not a whole number/],
    [['--http', '--token-file', '/none'], /--token-file/],
    [['--http', '--port', '70000'], /options\.port must be at most 65535/],
  ])('%j is wrong usage', { timeout: 60_000 }, async (flags, sentence) => {
    const child = spawn(process.execPath, [...args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    const [code] = await once(child, 'close');
    expect(Buffer.concat(said).toString()).toMatch(sentence);
    expect(code).toBe(64);
  });
});
