import { expect, test } from 'vitest';
import { rangeHolds, refusedBy } from './conditions.js';

const MODIFIED = Date.UTC(1994, 10, 6, 8, 49, 37);
const SAME = 'Sun, 06 Nov 1994 08:49:37 GMT';
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';

test.each<[string, Record<string, string>, 304 | 412 | null]>([
  ['nothing is asked', {}, null],
  ['the client has this one', { 'if-modified-since': SAME }, 304],
  ['the same date in the second form', { 'if-modified-since': 'Sunday, 06-Nov-94 08:49:37 GMT' }, 304],
  ['the same date in the third form', { 'if-modified-since': 'Sun Nov  6 08:49:37 1994' }, 304],
  ['it has an older one', { 'if-modified-since': BEFORE }, null],
  ['no date at all', { 'if-modified-since': '1994-11-06' }, null],
  ['it wants none that is newer', { 'if-unmodified-since': BEFORE }, 412],
  ['a tag that no file has', { 'if-match': '"tag"' }, 412],
  ['any file will do', { 'if-match': '*', 'if-unmodified-since': BEFORE }, null],
  ['tags count before dates', { 'if-none-match': '"tag"', 'if-modified-since': SAME }, null],
  ['only if there is none', { 'if-none-match': '*' }, 304],
])('%s', (_what, headers, status) => {
  expect(refusedBy(headers, MODIFIED)).toBe(status);
});

test('a range is one of the file that the client knows, or it gets all of it', () => {
  const holds = [undefined, '', SAME, BEFORE, '"tag"'].map((known) =>
    rangeHolds({ 'if-range': known }, MODIFIED),
  );
  expect(holds).toEqual([true, true, true, false, false]);
});
