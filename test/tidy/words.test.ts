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

/**
 * Nowhere in scripts of packages and tests: core's and the go-judge server's own names, and files called by
 * them.
 */
const REPLACED_EVERYWHERE =
  /\b(?:lanes?|LANES|lent|Lent|awaken\w*|soiled|Wiring\w*|MadeFiles\w*|TakeOutBudget|turnTakers|hadCompany|besideOthers|prepareResting|readFigures|readStartFigures|makeShape|HandOverMessage|sendHandOver|sendPieces|presenceOf|PieceSink|tellsMemory|toldMemoryFiles)\b/;
const REPLACED_IN_FILE_NAMES = /told-memory|hand-over|lent-ipc|forerunner/;

test('words that the glossary has replaced are in no script and no name of a file', () => {
  const scripts = listFiles(/^(packages|test|scripts|examples)\/.*\.(m?ts|tsx|mjs)$/);
  expect(scripts.length).toBeGreaterThan(1000);
  const own = 'test/tidy/words.test.ts';
  expect(scripts.filter((file) => file !== own && REPLACED_EVERYWHERE.test(readText(file)))).toEqual([]);
  expect(listFiles(/./).filter((file) => REPLACED_IN_FILE_NAMES.test(file))).toEqual([]);
});

/** In prose and native code. */
const REPLACED_WORDS = /\b\w*(?:forerunner|hand-?over\w*|awaken\w*|told memory)\b/i;

test('words that the glossary has replaced are in no prose and no native code', () => {
  const pages = listFiles(/(?<!CHANGELOG)\.md$/).filter((file) => !/glossary|^\.changeset/.test(file));
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter((file) => REPLACED_WORDS.test(readText(file)))).toEqual([]);
  const native = listFiles(/^native\/.*\.(cc|h|def|mjs)$/);
  expect(native.length).toBeGreaterThan(100);
  expect(native.filter((file) => REPLACED_WORDS.test(readText(file)))).toEqual([]);
});

/** Names that the glossary has replaced, by the folder in which nothing may bear them any more. */
const REPLACED: Record<string, RegExp> = {
  'packages/gojudge-server/src/':
    /\b\w*(?:Lane\b|Carrier|Presence|presenceOf|PieceSink|sendPieces|Gathered|gather\(|conclude\w*\()|\b(?:Judge|Outcome|Turn)\b(?!\.)/,
  'packages/core/src/':
    /\b(?:Place|Shape|Making|Wiring\w*|MadeFiles\w*|Handed|Waited|Family|Recipe|Taken|TakeOutBudget|turnTakers|hadCompany|besideOthers|prepareResting|(?:read|readStart)Figures|(?:make|next)Recipe|makeShape|HandOverMessage|sendHandOver|soiled|awaken)\b|\b(?:class|interface|new) (?:Ends|Waiting|Gate|Stay|Figures)\b|\.(?:place\b(?!\()|wiring|shape|making|waited|company)\b|#(?:renew\w*|hear\w*|rest(?:ing)?\b|settled?\b|letGo|tellSettled)/,
};

test('names that the glossary has replaced stay replaced', () => {
  for (const [folder, names] of Object.entries(REPLACED)) {
    const files = listFiles(/\.ts$/).filter((file) => file.startsWith(folder));
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => names.test(readText(file)))).toEqual([]);
  }
});
