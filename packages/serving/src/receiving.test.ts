import { expect, test } from 'vitest';
import { Receiving } from './receiving.js';

test('there is room for so much at once; what finds none is not counted', () => {
  const receiving = new Receiving(10);
  expect([receiving.take(6), receiving.take(5), receiving.take(4)]).toEqual([true, false, true]);
  expect(receiving.bytes).toBe(10);
  receiving.release(6);
  expect([receiving.take(5), receiving.bytes]).toEqual([true, 9]);
});
