import { expect, it } from 'vitest';
import { checkOptionNames } from './known-options.js';

it('names the option, the known ones and the one that was meant', () => {
  expect(() => checkOptionNames({ dri: 1 }, ['dir', 'pipes'])).toThrow(
    /^dri is not known; known are dir, pipes\. Did you mean dir\?$/,
  );
  expect(() => checkOptionNames({ other: 1 }, ['dir', 'pipes'])).toThrow(
    /^other is not known; known are dir, pipes\.$/,
  );
  expect(() => checkOptionNames({ pipe: 1 }, ['dir', 'pipes'])).toThrow('Did you mean pipes?');
  expect(() => checkOptionNames({ dir: 1 }, ['dir'])).not.toThrow();
});
