import { expect, it } from 'vitest';
import { pathOf, queryOf } from './request-path.js';

it.each([
  ['/run', '/run', ''],
  ['/run?a=1', '/run', '?a=1'],
  ['/file/a%20b?x', '/file/a b', '?x'],
  ['http://host:5050/run?a=1', '/run', '?a=1'],
  ['HTTPS://host/file/a', '/file/a', ''],
  ['http://host', '', ''],
  ['/file/a%3Fb', '/file/a?b', ''],
  ['/a?b?c', '/a', '?b?c'],
])('%s', (url, path, query) => {
  expect(pathOf(url)).toBe(path);
  expect(queryOf(url)).toBe(query);
});

it.each(['/file/%', '/file/%zz', '/file/%ff'])('%s cannot be read', (url) => {
  expect(pathOf(url)).toBeNull();
});
