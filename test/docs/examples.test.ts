// Every example in JavaScript of a README is a whole program, and runs. The first one runs against the packed
// packages too; the parts that other pages show run in blocks.soak.test.ts.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { root } from '../tidy/sources.js';
import { blocks, isWholeProgram } from './blocks.js';
import { NOT_RUN, PREPARED } from './blocks-table.js';

const examples = blocks.filter(isWholeProgram);

describe('examples', () => {
  test('the README begins with a program that prints', () => {
    const first = examples.find(({ name }) => name.startsWith('README.md'));
    expect(first?.code).toContain('console.log');
  });

  test.each(examples)('$name', async ({ code }) => {
    const args = ['--input-type=module', '--eval', code];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stderr).toBe('');
    if (code.includes('console.log')) expect(stdout).not.toBe('');
  });
});

test('what is said of blocks is about blocks that are there', () => {
  const names = blocks.filter((block) => !isWholeProgram(block)).map(({ name }) => name);
  const said = [...Object.keys(PREPARED), ...Object.keys(NOT_RUN)];
  expect(said.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(said).size).toBe(said.length);
});
