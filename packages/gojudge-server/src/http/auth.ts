/** The bearer token, compared in a time that says nothing about it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Authorizer = (request: IncomingMessage) => boolean;

/** `null` lets everybody in. */
export function makeAuthorizer(token: string | null): Authorizer {
  if (token === null) return () => true;
  const wanted = digest(`Bearer ${token}`);
  return ({ headers }) => timingSafeEqual(digest(headers.authorization ?? ''), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
