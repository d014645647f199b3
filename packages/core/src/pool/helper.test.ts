import { expect, it } from 'vitest';
import { restartDelayMs } from './helper.js';

it('the first start comes at once, the next ever later, up to five seconds', () => {
  expect([0, 1, 2, 3, 6, 7, 1000].map(restartDelayMs)).toEqual([0, 100, 200, 400, 3200, 5000, 5000]);
});
