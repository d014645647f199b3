/**
 * The helper process of an engine: a zygote, and another one when it has died. Whatever ended it (the kernel
 * for memory, an operator, a fault of ours), the programs that ran are lost, and the engine serves on: a
 * request that comes while the next zygote is started waits for it. One that dies again and again is started
 * ever less often.
 */
import { ClosedError, SandboxError, type SbxError } from '../errors.js';
import { loadNative } from '../native/native.js';
import { publishHelperLost, publishHelperRestarted } from './diagnostics.js';
import type { Zygote } from './zygote.js';

/** The end of one that has lived so long is no reason to wait before the next. */
const STABLE_MS = 10_000;
/** Whom the kernel holds for longer is reaped later. */
const CLOSE_MS_MAX = 10_000;
const DELAY_FIRST_MS = 100;
const DELAY_MAX_MS = 5000;

/** How long to wait before a start, after so many zygotes in a row that did not start or died young. */
export function restartDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(DELAY_MAX_MS, DELAY_FIRST_MS * 2 ** (failures - 1));
}

export interface HelperParts {
  start: () => Promise<Zygote>;
  /** Another zygote is there. */
  onRestarted: () => void;
}

export class Helper {
  /** Zygotes that were started in the place of one that had died. */
  restarts = 0;
  /** Why there is no zygote; `null` while there is. */
  lost: SbxError | null = null;
  readonly #parts: HelperParts;
  #zygote: Zygote;
  #lostAt = 0;
  #startedAt = 0;
  #failures = 0;
  #attempt: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(parts: HelperParts, zygote: Zygote) {
    this.#parts = parts;
    this.#zygote = zygote;
    this.#adopt(zygote);
  }

  static async open(parts: HelperParts): Promise<Helper> {
    return new Helper(parts, await parts.start());
  }

  /**
   * With none: resolves when there is one again, and rejects when it could not be started, or is not to be
   * yet.
   */
  restarting(): Promise<void> {
    return this.#attempt ?? Promise.reject(this.lost);
  }

  /** As `Zygote.newSlot`. */
  newSlot(slotId: number, uidBase: number, channel: number): void {
    if (this.lost !== null) {
      loadNative().native.closeFds([channel]);
      throw this.lost;
    }
    this.#zygote.newSlot(slotId, uidBase, channel);
  }

  /** Ends the zygote, and with it every process below; waits for it, but not for ever. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    let late: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => {
      late = setTimeout(resolve, CLOSE_MS_MAX);
    });
    await Promise.race([isLate, this.#end()]);
    clearTimeout(late);
  }

  async #end(): Promise<void> {
    await this.#attempt?.catch(() => undefined); // reported to those who wait for it
    await this.#zygote.close();
  }

  #adopt(zygote: Zygote): void {
    this.#zygote = zygote;
    this.#startedAt = performance.now();
    this.lost = null;
    zygote.onLost((error) => this.#onLost(error));
  }

  #onLost(error: SbxError): void {
    this.lost = error;
    this.#lostAt = performance.now();
    publishHelperLost(error);
    if (this.#lostAt - this.#startedAt >= STABLE_MS) this.#failures = 0;
    this.#startSoon();
  }

  #startSoon(): void {
    const delayMs = restartDelayMs(this.#failures);
    this.#failures += 1;
    if (delayMs === 0) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), delayMs).unref();
  }

  #begin(): void {
    if (this.#closed) return;
    const attempt = this.#restart().finally(() => {
      this.#attempt = null;
      if (this.lost !== null && !this.#closed) this.#startSoon();
    });
    attempt.catch(() => undefined); // perhaps nobody waits for it
    this.#attempt = attempt;
  }

  async #restart(): Promise<void> {
    const { native } = loadNative();
    native.holdLoop(); // the process stays for those who wait
    try {
      await this.#zygote.close(); // reaped: nothing below it is alive, and its users can be given to others
      const zygote = await this.#parts.start().catch((cause: Error) => {
        this.lost = notRestarted(cause);
        throw this.lost;
      });
      if (this.#closed) {
        await zygote.close();
        throw new ClosedError('The engine');
      }
      this.#adopt(zygote);
      this.restarts += 1;
      publishHelperRestarted(this.restarts, performance.now() - this.#lostAt);
      this.#parts.onRestarted();
    } finally {
      native.releaseLoop();
    }
  }
}

function notRestarted(cause: Error): SbxError {
  return new SandboxError({
    code: 'SBX_SANDBOX_LOST',
    message: `The helper of the engine ended unexpectedly, and another one could not be started: ${cause.message}`,
    stage: 'none',
    cause,
  });
}
