/** How a connection logs in: as of a credentials file, or of an address. */
import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  credsAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { InvalidOptionsError } from '@sbx/core';

/** Scheme, login and the rest of an address; the last `@` ends the login. */
const ADDRESS = /^([a-z]+:\/\/)?(.*)@([^@]*)$/is;

/** An address as it may stand in a message. */
export function withoutLogin(server: string): string {
  return server.replace(
    ADDRESS,
    (_, scheme: string | undefined, __, rest: string) => `${scheme ?? ''}${rest}`,
  );
}

/** `null`: nothing is said of one. Throws `InvalidOptionsError`. */
export function loginOf(servers: readonly string[], credentials: string | undefined): Authenticator | null {
  const login = servers.map((server) => ADDRESS.exec(server)?.[2]).find((found) => found !== undefined);
  if (login === undefined) return credentials === undefined ? null : fileLogin(credentials);
  if (credentials === undefined) return addressLogin(login);
  const expected = 'must not be given where an address has a login';
  const hint = 'Leave one of both out: the credentials file, or what stands before the @ of the address.';
  throw new InvalidOptionsError({ field: 'options.credentials', rule: 'conflict', expected, hint });
}

function addressLogin(login: string): Authenticator {
  const [, name, password] = /^([^:]*)(?::(.*))?$/s.exec(login)!.map(decoded);
  return password === undefined ? tokenAuthenticator(name!) : usernamePasswordAuthenticator(name!, password);
}

/** As it is, where its percent signs are no escapes. */
function decoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the file at each login: what it holds expires, and operators write it anew before that. Where it
 * cannot be read then, it is just being written, and what it held last may still do.
 *
 * Throws `InvalidOptionsError` when it cannot be read now.
 */
function fileLogin(path: string): Authenticator {
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
