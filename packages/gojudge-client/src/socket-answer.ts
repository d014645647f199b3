/** What comes over both kinds of sockets in the end. */
import { failure, type GojudgeError } from './errors.js';
import { jsonOf } from './read-body.js';
import { isSocketResult, type WireSocketResult } from './wire/index.js';

/** `null` for what is none. */
export function parseAnswer(json: string): WireSocketResult | null {
  const answer = jsonOf(json);
  return isSocketResult(answer) ? answer : null;
}

/** For what cannot be parsed. */
export function protocolError(): GojudgeError {
  return failure('GOJUDGE_PROTOCOL', 'The server sent what no go-judge sends.');
}
