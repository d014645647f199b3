// The commands, as hosts start them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { ERAS, TestClient, useServer } from './server.js';

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

  test('also while its client takes no answers', { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined); // it is not read to its end
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(child.stdout, 'data');
    child.stdout.pause();
    // Each is answered with its id; together they are more than lies in pipes.
    const id = 'x'.repeat(100_000);
    for (let count = 0; count < 8; count += 1)
      child.stdin.write(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`);
    await once(child.stdin, 'drain');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
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

describe('a client that takes no answers', () => {
  const running = useServer();
  const INITIALIZE = {
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  const SLEEP = { method: 'tools/call', params: { name: 'run_command', arguments: { command: 'sleep 60' } } };

  /** All that it asks is sent; resolves when no more of it is taken. */
  async function ask(message: object, count: number) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const connection = running.server.serveStdio({ input, output });
    const lines = [INITIALIZE, ...Array.from({ length: count }, () => message)].map(
      (said, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`,
    );
    const text = Buffer.from(lines.join(''));
    for (let at = 0; at < text.length; at += 65_536) input.write(text.subarray(at, at + 65_536));
    const taken = () => text.length - input.writableLength - input.readableLength;
    for (let before = -1; before !== taken(); ) {
      before = taken();
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    return { connection, output, takenShare: taken() / text.length };
  }

  test.each([
    ['many short ones', 'ping', 20_000, ''],
    ['long ones', 'tools/list', 800, 'x'.repeat(1000)],
  ])('is not read meanwhile, and gets %s all', { timeout: 60_000 }, async (_, method, count, more) => {
    const { connection, output, takenShare } = await ask({ method, params: { _meta: { more } } }, count);
    expect(takenShare).toBeLessThan(0.5);
    let answers = 0;
    for await (const chunk of output) {
      answers += String(chunk).split('\n').length - 1;
      if (answers > count) break;
    }
    expect(answers).toBe(count + 1);
    await connection.close();
  });

  test('nor one with many calls under way', { timeout: 60_000 }, async () => {
    const { connection, takenShare } = await ask(SLEEP, 5000);
    expect(takenShare).toBeLessThan(0.5);
    await connection.close();
  });
});
