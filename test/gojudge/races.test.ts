// Many at once: what go-judge's own tests hammer, in numbers that a small machine bears.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cmd, post, useServer } from './server.js';

const server = useServer({ srcPrefix: ['/'] });
const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Result {
  status: string;
  files: Record<string, string>;
}

async function run(request: object): Promise<Result[]> {
  const response = await post(server.url, request);
  expect(response.status).toBe(200);
  return (await response.json()) as Result[];
}

const input = { content: '' };
const errors = { name: 'stderr', max: 10_240 };

test('a program that was just copied in can be executed, always', async () => {
  const one = async (index: number) => {
    const copyIn = { my_echo: { src: '/bin/echo' } };
    const [result] = await run({ cmd: [cmd(['./my_echo', `token${index}`], { copyIn })] });
    expect(result).toMatchObject({ status: 'Accepted', files: { stdout: `token${index}\n` } });
  };
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 20 }, (_, index) => one(index)));
});

test('large files of the host arrive whole', async () => {
  const one = async (index: number) => {
    const bytes = 1_000_000 + index * 10_000;
    const src = join(folder, `f${index}`);
    writeFileSync(src, Buffer.alloc(bytes, 120));
    const [result] = await run({ cmd: [cmd(['/usr/bin/wc', '-c', 'in'], { copyIn: { in: { src } } })] });
    expect(result!.files.stdout).toBe(`${bytes} in\n`);
  };
  await Promise.all(Array.from({ length: 30 }, (_, index) => one(index)));
});

test('a mebibyte through a direct pipe, ten times at once', async () => {
  const writer = cmd(['/usr/bin/python3', '-c', 'import sys; sys.stdout.write("x" * 1048576)'], {
    files: [input, null, errors],
  });
  const reader = cmd(['/usr/bin/python3', '-c', 'import sys; print(len(sys.stdin.read()))'], {
    files: [null, { name: 'o', max: 99 }, errors],
  });
  const pipeMapping = [{ in: { index: 0, fd: 1 }, out: { index: 1, fd: 0 } }];
  const one = async () => {
    const results = await run({ cmd: [writer, reader], pipeMapping });
    expect(results).toMatchObject([
      { status: 'Accepted' },
      { status: 'Accepted', files: { o: '1048576\n' } },
    ]);
  };
  await Promise.all(Array.from({ length: 10 }, one));
});

test.each([{ proxy: false }, { proxy: true }])('5000 round trips with %j', async ({ proxy }) => {
  const ping = 'import sys\nfor i in range(5000):\n print(i, flush=True)\n assert int(input()) == i';
  const pong = 'import sys\nfor line in sys.stdin:\n print(line, end="", flush=True)';
  const python = (code: string) => cmd(['/usr/bin/python3', '-c', code], { files: [null, null, errors] });
  const pipeMapping = [
    { in: { index: 0, fd: 1 }, out: { index: 1, fd: 0 }, proxy },
    { in: { index: 1, fd: 1 }, out: { index: 0, fd: 0 }, proxy },
  ];
  const [first] = await run({ cmd: [python(ping), python(pong)], pipeMapping });
  expect(first).toMatchObject({ status: 'Accepted', files: { stderr: '' } });
});
