import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnreadOutput } from './unread-output.js';

const bytes = (text: string) => new TextEncoder().encode(text);

test('what was written since the last reading, once', () => {
  const output = new UnreadOutput(100);
  expect([output.isEmpty, output.read(false)]).toEqual([true, { text: '', cutBytes: 0 }]);
  output.push(bytes('a'));
  output.push(bytes('b'));
  expect([output.isEmpty, output.hasLost]).toEqual([false, false]);
  expect(output.read(false)).toEqual({ text: 'ab', cutBytes: 0 });
  expect([output.isEmpty, output.read(false)]).toEqual([true, { text: '', cutBytes: 0 }]);
});

test('of more than it keeps the last, and how much is missing', () => {
  const output = new UnreadOutput(4);
  output.push(bytes('0123456789'));
  expect(output.hasLost).toBe(true);
  output.push(bytes('ab'));
  expect(output.read(false)).toEqual({ text: '[… 8 bytes left out …]\n89ab', cutBytes: 8 });
  expect(output.hasLost).toBe(false);
});

test('a character that is cut waits for its end, and no longer than that comes', () => {
  const output = new UnreadOutput(100);
  output.push(bytes('ä€').subarray(0, 4));
  expect(output.read(false).text).toBe('ä');
  output.push(bytes('€').subarray(2));
  expect(output.read(false).text).toBe('€');
  output.push(bytes('€').subarray(0, 2));
  expect(output.read(true).text).toBe('\ufffd');
});

test('of any chunks read at any time nothing is lost, doubled or miscounted', () => {
  const step = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30, size: 'max' }),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 20 }),
      (steps, max) => {
        const output = new UnreadOutput(max);
        let unread = '';
        for (const text of [...steps, null]) {
          if (text !== null) {
            unread += text;
            output.push(bytes(text));
            continue;
          }
          const { text: shown, cutBytes } = output.read(false);
          expect(cutBytes).toBe(Math.max(0, unread.length - max));
          expect(shown.endsWith(unread.slice(-max))).toBe(true);
          if (cutBytes === 0) expect(shown).toBe(unread);
          unread = '';
        }
      },
    ),
  );
});
