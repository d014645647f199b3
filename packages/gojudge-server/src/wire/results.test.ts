import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeMap } from './results.js';

it('sorts keys by their bytes', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '\u2028', '\ud7ff', '\ue000', '\uffee', '😀', '𐀀'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const written = JSON.parse(encodeMap(new Map(names.map((key) => [key, 0])), String)) as object;
      const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(Object.keys(written)).toEqual(sorted);
    }),
  );
});
