// Who changes a file that decides something finds its test beside it, which needs no privileges to run.
import { expect, test } from 'vitest';
import { listFiles } from './sources.js';
import { TESTED_FOLDERS, WITHOUT_UNIT_TEST } from './unit-tests-table.js';

const scripts = listFiles(/^packages\/[^/]+\/src\/.*\.ts$/);
const isTest = (file: string) => file.endsWith('.test.ts');
const testOf = (file: string) => file.replace(/\.ts$/, '.test.ts');
const hasTest = (file: string) => scripts.includes(testOf(file));

test.each(TESTED_FOLDERS)('each file of %s has a test beside it, or a row that says why not', (folder) => {
  const files = scripts.filter((file) => file.startsWith(folder) && !isTest(file));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !hasTest(file) && !Object.hasOwn(WITHOUT_UNIT_TEST, file))).toEqual([]);
});

test('each row is still needed, in one of these folders', () => {
  const isNeeded = (file: string) =>
    scripts.includes(file) && !hasTest(file) && TESTED_FOLDERS.some((folder) => file.startsWith(folder));
  expect(Object.keys(WITHOUT_UNIT_TEST).filter((file) => !isNeeded(file))).toEqual([]);
});
