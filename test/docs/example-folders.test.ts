// Each folder of examples/ runs as its page says, and prints what its page says.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readText, root } from '../tidy/sources.js';

const names = readdirSync(`${root}/examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/**
 * The blocks of a page: the command, and what it prints; `…` stands for what differs from machine to machine.
 */
function blocksOf(name: string): { command: string; printed: RegExp } {
  const page = readText(`examples/${name}/README.md`);
  const [, command, printed] = /^```sh\n(.*)\n```\n\n```\n([\s\S]*?)^```$/m.exec(page)!;
  const parts = printed!.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { command: command!, printed: new RegExp(`^${parts.join('.*')}$`) };
}

test('each is on the page of all', () => {
  const page = readText('examples/README.md');
  expect(names.filter((name) => !page.includes(`](${name}/README.md)`))).toEqual([]);
  expect(names.length).toBe(10);
});

test.each(names)('%s', { timeout: 120_000 }, async (name) => {
  const { command, printed } = blocksOf(name);
  expect(command).toBe(`node examples/${name}/main.mjs`);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [`examples/${name}/main.mjs`], {
    cwd: root,
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(printed);
});
