import { expect, test } from 'vitest';
import { headerValue } from './header-value.js';
import { tokenSubprotocol } from './token-subprotocol.js';

test.each(['secret', 'clé??>', 'ключ'])('%s', (token) => {
  const base64url = Buffer.from(token).toString('base64url');
  expect(tokenSubprotocol('x.', headerValue(token))).toBe(`x.${base64url}`);
});
