// What is built, as far as the memory of those who load it is concerned.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, root } from './sources.js';

test('no built module has a character beyond Latin-1: V8 would hold all of its source at two bytes a character', () => {
  const files = readdirSync(`${root}/packages`).flatMap((name) =>
    readdirSync(`${root}/packages/${name}/dist`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .map((file) => `packages/${name}/dist/${file}`),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => /[\u0100-\uffff]/.test(readText(file)))).toEqual([]);
});
