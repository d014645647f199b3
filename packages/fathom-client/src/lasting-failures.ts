/** Failures that another try does not mend: whoever answers refuses us, or is no server of this protocol. */
import { FathomError } from './errors.js';

export class LastingFailures {
  #last: string | null = null;

  /** Whether it is in vain to try again by itself. What is not told twice in the same words may have been an accident. */
  isFinal({ code, message }: FathomError): boolean {
    if (code === 'FATHOM_UNAUTHORIZED' || code === 'FATHOM_VERSION') return true;
    const isSame = code === 'FATHOM_PROTOCOL' && message === this.#last;
    this.#last = code === 'FATHOM_PROTOCOL' ? message : null;
    return isSame;
  }

  /** The server has shown that it is one. */
  reset(): void {
    this.#last = null;
  }
}

/** Of a socket that was never open. */
interface FailedHandshake {
  url: string;
  /** Of the close, when it was that. */
  code?: number | undefined;
  /** What the socket says of it. */
  text: string;
}

/** Bun's, for an answer that is no upgrade. One without our sub-protocol it calls "Missing client protocol". */
const PROTOCOL_ERROR = 1002;

/**
 * The error when something answered, but not as a WebSocket; `null` when that cannot be told. Browsers say nothing of a failed
 * handshake, Bun and Deno say this much; that of Node names both causes in one sentence.
 */
export function handshakeError({ url, code, text }: FailedHandshake): FathomError | null {
  const isAnswered = code === PROTOCOL_ERROR || /\bstatus\b|\b101\b|\bclient protocol\b/i.test(text);
  if (!isAnswered || /network error or/i.test(text)) return null;
  const said = text === '' ? '' : ` (${text.slice(0, 200)})`;
  return new FathomError({
    code: 'FATHOM_PROTOCOL',
    message: `${url} answered, but not with a WebSocket${said}; is it a server of this protocol, and the token right?`,
  });
}
