import { expect, test } from 'vitest';
import { parseRoot } from './root.js';

test.each([
  ['host', 'host'],
  ['minimal', 'minimal'],
  ['minimal:gcc, libc6-dev', { packages: ['libc6', 'dash', 'gcc', 'libc6-dev'] }],
  ['minimal:', null],
  ['maximal', null],
])('%s', (text, root) => expect(parseRoot(text)).toEqual(root));
