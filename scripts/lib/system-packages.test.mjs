import { afterEach, expect, test, vi } from 'vitest';
import { missingPackages, provideSystemPackages, SYSTEM_PACKAGES } from './system-packages.mjs';

const here = process.execPath;
const nowhere = '/nowhere/program';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['its program', { probes: [here] }, true],
  ['no program', { probes: [nowhere] }, false],
  ['one of several places', { probes: [nowhere, here] }, true],
  ['one of several programs', { probes: [here, nowhere], all: true }, false],
  ['all of several programs', { probes: [here, here], all: true }, true],
])('with %s, a package is there or missing', (_name, row, isThere) => {
  expect(missingPackages([row])).toEqual(isThere ? [] : [row]);
});

test('who may not install is told what to install', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  const error = vi.spyOn(console, 'error').mockReturnValue();
  const rows = ['one', 'two'].map((name) => ({ package: name, probes: [nowhere], why: `for ${name}` }));
  expect(await provideSystemPackages(rows)).toEqual(rows);
  const said = error.mock.calls.flat().join('\n');
  expect(said).toContain('sudo apt-get install one two');
  expect(said).toContain(`for two (${nowhere})`);
});

test('every row says why', () => {
  expect(SYSTEM_PACKAGES.filter((row) => !row.why)).toEqual([]);
});
