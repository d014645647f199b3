/** How a program is ended on request: gently first if there is a grace, and always within it. */
import type { EndedMessage } from '../native/native.js';
import type { SignalCause } from './sandbox-lease.js';

const SIGTERM = 15;
const SIGKILL = 9;
/** Why the host ends a program. */
export type HostCause = Extract<SignalCause, 'killed' | 'wall-limit' | 'memory-limit'>;

/**
 * From SIGKILL until a program counts as ended though its report has not come: hundreds of processes take
 * their time to die, and longer where the kernel has much to take back.
 */
const REPORT_WAIT_MS: Readonly<Record<HostCause, number>> = {
  killed: 60,
  'wall-limit': 60,
  'memory-limit': 5000,
};

export class Killing {
  readonly graceMs: number;
  readonly #signal: (signal: number, cause: SignalCause, everything: boolean) => void;
  #startedAt = 0;
  /** Of the grace, then of the report. */
  #timer: NodeJS.Timeout | undefined;
  readonly #giveUp: () => void;
  #ending = false;
  #cause: HostCause = 'killed';
  #killed = false;
  readonly #sent = new Set<number>();

  constructor(
    graceMs: number,
    signal: (signal: number, cause: SignalCause, everything: boolean) => void,
    giveUp: () => void,
  ) {
    this.graceMs = graceMs;
    this.#signal = signal;
    this.#giveUp = giveUp;
  }

  /** `end()` was called. */
  get ending(): boolean {
    return this.#ending;
  }

  /** The cause that the host reports for an end by its own signal. */
  get cause(): HostCause {
    return this.#cause;
  }

  begin(): void {
    this.#startedAt = performance.now();
  }

  ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** One signal; whether it ends the program is the program's affair, unless it is SIGKILL. */
  send(signal: number): void {
    this.#sent.add(signal);
    if (signal === SIGKILL) this.#signal(SIGKILL, 'killed', true);
    else this.#signal(signal, 'none', false);
  }

  /** Whether a program with this wait status died of a signal that was sent from outside. */
  explains(waitStatus: number): boolean {
    return this.#sent.has(waitStatus & 0x7f);
  }

  end(): void {
    if (this.#ending) return;
    if (this.graceMs === 0) return this.endNow();
    this.#ending = true;
    this.#timer = setTimeout(() => this.endNow(), this.graceMs);
    this.#signal(SIGTERM, 'killed', true);
  }

  /** As `end`, whatever grace it has left. `cause`: what the end is put down to. */
  endNow(cause: HostCause = 'killed'): void {
    if (this.#killed) return;
    this.#ending = true;
    this.#killed = true;
    this.#cause = cause;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), REPORT_WAIT_MS[cause]);
    this.#signal(SIGKILL, cause, true);
  }

  over(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * How long whoever closes waits for the report of a program that was killed. Together with the rest below 100
 * ms.
 */
export const CLOSE_WAIT_MS = 70;

/** Resolves after so many ms; does not keep the process: a living program does that. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/**
 * With what the host knows of the end and init could not: a signal that it sent, output that came faster than
 * it could say stop.
 */
export function withHostCause(ended: EndedMessage, killing: Killing, hasOverflowed: boolean): EndedMessage {
  if (ended.cause !== 'none') return ended;
  if (killing.explains(ended.waitStatus)) return { ...ended, cause: 'killed' };
  return hasOverflowed ? { ...ended, cause: 'output-limit' } : ended;
}
