import type { Authenticator } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { loginOf, withoutLogin } from './login.js';

const told = (login: Authenticator | null) => login?.();

test.each([
  ['nats://a:b@host:4222', { user: 'a', pass: 'b' }, 'nats://host:4222'],
  ['tls://a%40b:p%3A%2F@host', { user: 'a@b', pass: 'p:/' }, 'tls://host'],
  ['a:50%@host', { user: 'a', pass: '50%' }, 'host'],
  ['nats://a:p/w@x@host', { user: 'a', pass: 'p/w@x' }, 'nats://host'],
  ['nats://a:@host', { user: 'a', pass: '' }, 'nats://host'],
  ['nats://secret@host:1', { auth_token: 'secret' }, 'nats://host:1'],
])('%s has a login', (address, login, rest) => {
  expect(told(loginOf(['nats://other', address], undefined))).toEqual(login);
  expect(withoutLogin(address)).toBe(rest);
});

test.each(['nats://host:4222', 'host', '[::1]:4222'])('%s has none', (address) => {
  expect(loginOf([address], undefined)).toBeNull();
  expect(withoutLogin(address)).toBe(address);
});

test('two logins are one too many, and neither is told', () => {
  const both = () => loginOf(['nats://a:secret@host'], '/no/file');
  expect(both).toThrow(expect.objectContaining({ field: 'options.credentials', rule: 'conflict' }));
  expect(both).not.toThrow(/secret/);
});
