// What one request may bring out: names of one file, holes and many descriptors cost their program nothing,
// and the server memory.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cmd, post, useServer } from './server.js';

const MiB = 2 ** 20;

interface Result {
  status: string;
  files?: Record<string, string>;
  fileIds?: Record<string, string>;
  fileError?: { name: string; type: string; message: string }[];
}

async function run(url: string, ...cmds: object[]): Promise<{ results: Result[]; bytes: number }> {
  const response = await post(url, { cmd: cmds });
  const text = await response.text();
  expect(response.status, text.slice(0, 200)).toBe(200);
  return { results: JSON.parse(text) as Result[], bytes: text.length };
}

const shell = (script: string, more: object = {}) =>
  cmd(['/bin/sh', '-c', script], { memoryLimit: 64 * MiB, ...more });
const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const BEYOND = /exceeds what is left of all a request may copy out \(8388608, -copy-out-total\)$/;

async function storeBlocks(url: string): Promise<number> {
  const { fileStorePath } = (await (await fetch(`${url}/config`)).json()) as { fileStorePath: string };
  const files = readdirSync(fileStorePath, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { name }) => sum + statSync(join(fileStorePath, name)).blocks * 512, 0);
}

async function forget(url: string, { fileIds = {} }: Result): Promise<void> {
  for (const id of Object.values(fileIds)) await fetch(`${url}/file/${id}`, { method: 'DELETE' });
}

describe('as usual', () => {
  const server = useServer();

  test('files with holes stay files with holes in the store', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const script = names.map((name) => `truncate -s 250000000 ${name}`).join('; ');
    const { results } = await run(server.url, shell(script, { copyOutCached: names }));
    expect(results[0]).toMatchObject({ status: 'Accepted' });
    expect(await storeBlocks(server.url)).toBeLessThan(MiB);
    const { a } = results[0]!.fileIds!;
    const head = await fetch(`${server.url}/file/${a}`, { headers: { range: 'bytes=249999990-' } });
    expect(new Uint8Array(await head.arrayBuffer())).toEqual(new Uint8Array(10));
    await forget(server.url, results[0]!);
  });
});

describe('a bound for all', () => {
  const server = useServer({ copyOutTotalBytes: 8 * MiB });

  test('holes that are too large are refused by name, in the answer and in the store', async () => {
    const script = 'truncate -s 100000000 text stored';
    const { results, bytes } = await run(
      server.url,
      shell(script, { copyOut: ['text'], copyOutCached: ['stored'] }),
    );
    expect(results[0]!.status).toBe('File Error');
    expect(results[0]!.fileError!.map(({ name, type }) => [name, type])).toEqual([
      ['text', 'CopyOutSizeExceeded'],
      ['stored', 'CopyOutSizeExceeded'],
    ]);
    for (const { message } of results[0]!.fileError!) expect(message).toMatch(BEYOND);
    expect(bytes).toBeLessThan(10_000);
  });

  test.each(['copyOut', 'copyOutCached'])('links to one file count each, %s', async (kind) => {
    const names = range(100).map((index) => `n${index}`);
    const script = `head -c 1048576 /dev/zero | tr '\\0' x > n0; for i in $(seq 1 99); do ln n0 n$i; done`;
    const { results, bytes } = await run(server.url, shell(script, { [kind]: names }));
    const [result] = results as [Result];
    const taken = Object.keys({ ...result.files, ...result.fileIds }).filter((name) => name.startsWith('n'));
    expect(taken.length).toBeGreaterThanOrEqual(6);
    expect(taken.length).toBeLessThanOrEqual(8);
    expect(result.files).toMatchObject({ stdout: '', stderr: '' });
    expect(result.fileError!.length).toBe(100 - taken.length);
    expect(bytes).toBeLessThan(9 * MiB);
    expect(await storeBlocks(server.url)).toBeLessThanOrEqual(8 * MiB);
    await forget(server.url, result);
  });

  test('names of one file count each, in whatever spelling', async () => {
    const copyOut = range(300).map((index) => `${'./'.repeat(index)}n`);
    const { results, bytes } = await run(server.url, shell('head -c 1048576 /dev/zero > n', { copyOut }));
    expect(results[0]!.fileError!.length).toBeGreaterThan(290);
    expect(bytes).toBeLessThan(8 * 6 * MiB + MiB); // 300 errors beside it, each with its name twice
  });

  test.each([false, true])('collectors, pipe: %s', async (pipe) => {
    const collector = (name: string) => ({ name, max: 200 * MiB, pipe });
    const script = pipe ? 'head -c 20000000 /dev/zero' : 'truncate -s 100000000 out';
    const files = [{ content: '' }, collector('out'), collector('err')];
    const { results, bytes } = await run(server.url, shell(script, { files }));
    expect(results[0]!.status).toBe('Output Limit Exceeded');
    expect(results[0]!.fileError).toMatchObject([{ name: 'out', type: 'CollectSizeExceeded' }]);
    expect(results[0]!.fileError![0]!.message).toMatch(BEYOND);
    expect(bytes).toBeLessThan(8 * 6 * MiB + 10_000);
  });

  test('what is within it comes out whole, also of several programs', async () => {
    const script = "head -c 3000000 /dev/zero | tr '\\0' x > n";
    const { results } = await run(
      server.url,
      shell(script, { copyOut: ['n'] }),
      shell(script, { copyOut: ['n'] }),
    );
    for (const { status, files } of results)
      expect([status, files!.n!.length]).toEqual(['Accepted', 3_000_000]);
  });
});
