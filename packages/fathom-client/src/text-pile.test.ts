import { expect, test } from 'vitest';
import { Accumulator } from './accumulator.js';
import { TextPile } from './text-pile.js';

test('pieces are one text, however many they are and whenever it is read', () => {
  const pile = new TextPile();
  let text = '';
  for (let at = 0; at < 5000; at += 1) {
    const piece = `${at},`.slice(at % 2);
    pile.add(piece);
    text += piece;
    if (at % 1500 === 0) expect(pile.text).toBe(text);
  }
  expect([pile.text, pile.length]).toEqual([text, text.length]);
});

test('output of millions of single letters takes little more memory than they do', () => {
  const accumulator = new Accumulator('a', 10_000_000);
  const letter = { v: 1, ts: '', type: 'stdout', id: 'a', data: 'x' } as const;
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 4_000_000; count += 1) accumulator.apply(letter);
  expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(60);
  expect(accumulator.stdout).toHaveLength(4_000_000);
});
