import { expect, test } from 'vitest';
import { isId, newId } from './ids.js';

test('ids are as go-judge makes them, and never the same', () => {
  const ids = new Set(Array.from({ length: 1000 }, newId));
  expect(ids.size).toBe(1000);
  for (const id of ids) {
    expect(id).toMatch(/^[A-Z2-7]{8}$/);
    expect(isId(id)).toBe(true);
  }
});

test.each(['', '.', '..', '.sbx', 'a/b', '/a', 'a\\b', 'a\0b', 'a'.repeat(256)])('%j is none', (id) => {
  expect(isId(id)).toBe(false);
});

test.each(['a', '...', '.sbx2', 'ä.txt', 'a'.repeat(255)])('%j may be one', (id) => {
  expect(isId(id)).toBe(true);
});
