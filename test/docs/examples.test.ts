// Every example in JavaScript of a README is a whole program, and runs. The first one runs against the packed
// packages too; other pages show parts.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { listFiles, readText, root } from '../tidy/sources.js';

const pages = listFiles(/^(README\.md|packages\/[^/]+\/README\.md)$/);

const examples = pages.flatMap((page) =>
  [...readText(page).matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code], index) => ({
    title: `${page}, example ${index + 1}`,
    code: code!,
  })),
);

describe('examples', () => {
  test('the README begins with a program that prints', () => {
    expect(examples[0]?.title).toBe('README.md, example 1');
    expect(examples[0]?.code).toContain('console.log');
  });

  test.each(examples)('$title', async ({ code }) => {
    const args = ['--input-type=module', '--eval', code];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stderr).toBe('');
    if (code.includes('console.log')) expect(stdout).not.toBe('');
  });
});
