/** The login that a credentials file tells. */
import { readFileSync } from 'node:fs';
import { type Authenticator, credsAuthenticator } from '@nats-io/transport-node';
import { InvalidOptionsError } from '@sbx/core';

/**
 * Reads the file at each login: what it holds expires, and operators write it anew before that. Where it
 * cannot be read then, it is just being written, and what it held last may still do.
 *
 * Throws `InvalidOptionsError` when it cannot be read now.
 */
export function loginFrom(path: string): Authenticator {
  let login = read(path);
  return (nonce) => {
    try {
      login = read(path);
    } catch {
      // As before.
    }
    return login(nonce);
  };
}

function read(path: string): Authenticator {
  try {
    const login = credsAuthenticator(readFileSync(path));
    login(); // else nobody looks at what is in it before a connection is there
    return login;
  } catch (cause) {
    const expected = 'must be a readable credentials file of NATS';
    const hint = (cause as Error).message;
    throw new InvalidOptionsError({ field: 'options.credentials', rule: 'format', expected, hint });
  }
}
