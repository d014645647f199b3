// What is built, as those meet it who load it.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, root } from './sources.js';

const files = readdirSync(`${root}/packages`).flatMap((name) =>
  readdirSync(`${root}/packages/${name}/dist`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => `packages/${name}/dist/${file}`),
);

test('no built module has a character beyond Latin-1: V8 would hold all of its source at two bytes a character', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => /[\u0100-\uffff]/.test(readText(file)))).toEqual([]);
});

test('classes have the names of their sources, which people see in consoles, messages and stacks', () => {
  const built = files.filter((file) => /^var \w+ = class (?!_)\w+/m.test(readText(file)));
  expect(built.length).toBeGreaterThan(20);
  expect(files.filter((file) => /^var (\w+) = class _\1\b/m.test(readText(file)))).toEqual([]);
});
