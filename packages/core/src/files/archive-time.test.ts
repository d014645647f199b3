import { expect, it } from 'vitest';
import { timeFields, timeOf } from './archive-time.js';

const header = (fields: Parameters<typeof timeOf>[0]) => fields;

it.each([0n, 1n, 1_600_000_000_000_000_000n, 1_600_000_000_123_456_789n, 1_600_000_000_000_000_100n])(
  'a time of %d ns comes back as it was',
  (ns) => {
    const { seconds, nanoseconds } = timeOf(header(timeFields(ns)))!;
    expect(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)).toBe(ns);
  },
);

it('whole seconds take no record, a time before 1970 is its start', () => {
  expect(timeFields(5_000_000_000n)).toEqual({ mtime: new Date(5000) });
  expect(timeFields(-1n)).toEqual({ mtime: new Date(0) });
  expect(timeFields(5_120_000_000n)).toEqual({ mtime: new Date(5000), pax: { mtime: '5.12' } });
});

it.each([2n ** 33n, 8_640_000_000_001n, 9_000_000_000n])('%d s are the last time of a header', (seconds) => {
  expect(timeFields(seconds * 1_000_000_000n + 5n)).toEqual({ mtime: new Date((2 ** 33 - 1) * 1000) });
});

it('of an archive made elsewhere: the record counts, what is no time does not', () => {
  const mtime = new Date(7000);
  const at = (said?: string) =>
    timeOf(header({ mtime, ...(said !== undefined && { pax: { mtime: said } }) }));
  expect(at()).toEqual({ seconds: 7, nanoseconds: 0 });
  expect(at('8')).toEqual({ seconds: 8, nanoseconds: 0 });
  expect(at('8.5')).toEqual({ seconds: 8, nanoseconds: 500_000_000 });
  expect(at('8.1234567899')).toEqual({ seconds: 8, nanoseconds: 123_456_789 });
  for (const odd of ['', 'x', '-3', '1e3', '99999999999'])
    expect(at(odd)).toEqual({ seconds: 7, nanoseconds: 0 });
  expect(at('9999999999')).toBe(null);
  expect(timeOf(header({}))).toBe(null);
  expect(timeOf(header({ mtime: new Date(Number.NaN) }))).toBe(null);
});
