/** Failures that another try does not mend: whoever answers refuses us, or is no server of this protocol. */
import { connectionError, FathomError } from './errors.js';

export class LastingFailures {
  #last: string | null = null;

  /**
   * Whether it is in vain to try again by itself. What is not told twice in the same words may have been an
   * accident.
   */
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
  hasToken: boolean;
  /** Of the close. */
  code?: number | undefined;
  /** What the socket says of it. */
  text: string;
}

/**
 * Bun's, for an answer that is no upgrade. One without our sub-protocol it calls "Missing client protocol".
 */
const PROTOCOL_ERROR = 1002;

/**
 * The error when something answered, but not as a WebSocket; `null` when that cannot be told. Browsers say
 * nothing of a failed handshake, Bun and Deno say the status; the text of Node's global WebSocket names both
 * causes in one sentence.
 */
export function handshakeError({ url, hasToken, code, text }: FailedHandshake): FathomError | null {
  const isAnswered = code === PROTOCOL_ERROR || /\bstatus\b|\b101\b|\bclient protocol\b/i.test(text);
  if (!isAnswered || /network error or/i.test(text)) return null;
  const [, status] = /\bstatus code: (\d{3})\b/i.exec(text) ?? [];
  if (status !== undefined) return refusedUpgrade({ url, hasToken, status: Number(status) });
  const said = text === '' ? '' : ` (${text.slice(0, 200)})`;
  const message = `${url} answered, but not with a WebSocket${said}; is it a server of this protocol, and the token right?`;
  return new FathomError({ code: 'FATHOM_PROTOCOL', message });
}

/** The error for an HTTP answer instead of the upgrade. */
export function refusedUpgrade(answer: { url: string; hasToken: boolean; status: number }): FathomError {
  const { url, hasToken, status } = answer;
  if (status === 401) {
    const message = `${url} ${hasToken ? 'does not take this token' : 'asks for a token: give it as `token`'}.`;
    return new FathomError({ code: 'FATHOM_UNAUTHORIZED', message });
  }
  const message = `${url} answered with HTTP ${status} instead of a WebSocket; is it a Fathom server?`;
  // 5xx comes from proxies whose server is away.
  return status >= 500 ? connectionError(message) : new FathomError({ code: 'FATHOM_PROTOCOL', message });
}
