// What must not stand in any file: traces of the machine on which it was written.
import { expect, test } from 'vitest';
import { listFiles, readText } from './sources.js';

const FORBIDDEN: { what: RegExp; why: string }[] = [
  { what: /(?<![\w.])\/work\/(main|shared)\b/, why: 'a folder of a build machine' },
  {
    what: /^\s*"resolved": "https?:|tarball: https?:/m,
    why: 'the address of a registry, where installs should follow the settings of their user',
  },
];

test('no file names a build machine', () => {
  const files = listFiles(/./).filter((file) => file !== 'test/tidy/words.test.ts');
  const found = files.flatMap((file) => {
    const text = readText(file);
    return FORBIDDEN.filter(({ what }) => what.test(text)).map(({ why }) => `${file}: ${why}`);
  });
  expect(found).toEqual([]);
});
