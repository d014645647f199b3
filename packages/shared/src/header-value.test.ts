import { expect, test } from 'vitest';
import { headerValue } from './header-value.js';

test.each([
  ['secret', 'secret'],
  ['clé', 'cl\xc3\xa9'],
  ['ключ', '\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87'],
])('%s', (text, value) => {
  expect(headerValue(text)).toBe(value);
  expect(new Headers({ name: headerValue(text) }).get('name')).toBe(value);
});
