/**
 * Replies that are owed. Replies carry no name and all go through one pipe, so with several requests at once
 * the best that can be done is: answer once, whoever reads; then, for each further request, look for a reader
 * and answer again. A reply that is owed never expires, since its client has no time-out either: it stays
 * owed until it is fetched, the next request takes its place, or the manager ends; it is looked for its
 * reader more slowly as it ages. `giveUpMs` bounds that for owners who want it. Two who read at the same time
 * have one reply between them: the further one is nobody's then, which is known only once a later request
 * takes its place.
 */
import { closeSync, writeSync } from 'node:fs';
import { EXTRA_COUNT_MAX, EXTRA_LOOK_MS } from './options.js';
import { Pacing } from './pacing.js';
import { openForReader } from './reader-wait.js';

/**
 * A reader of the reply before needs a moment to see its end and to close; else it would get this one too.
 */
const NEXT_READER_MS = 10;
/** By the next request whoever has asked so long before has read, or will not. */
const STALE_MS = 1000;
const PAUSE_MS_MAX = 20;

export interface AnswersOptions {
  /** Reply pipes, in order. */
  paths: readonly string[];
  /** Taken when the first reader is there: as fresh as can be. */
  reply: () => readonly Uint8Array[];
  /**
   * Takes requests that have come and have not been heard of yet. Whoever reads has written before: a reader
   * that is found may be that of a last call, and must get the last reply.
   */
  look: () => void;
  /** `null`: never. */
  giveUpMs: number | null;
}

export class Answers {
  readonly #options: AnswersOptions;
  /** One reply is owed in any case, … */
  #isOwed = false;
  /** … and these if somebody reads them. */
  #extraCount = 0;
  #extrasAskedAt = 0;
  /** After the last call nobody is waited for who may not be there. */
  #isEnding = false;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #pacing = new Pacing(PAUSE_MS_MAX);
  #working: Promise<void> | null = null;
  #round = new AbortController();
  #deliveredCount = 0;
  /** A reader that was found when a last call came: its reply is the last one. */
  #heldFd: number | null = null;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Replies that were read, as far as a writer can know. */
  get deliveredCount(): number {
    return this.#deliveredCount;
  }

  /** A reply has not been fetched yet. */
  get isOwing(): boolean {
    return this.#working !== null;
  }

  owe(count: number): void {
    const now = performance.now();
    this.#dropStale(now);
    const extras = this.#isOwed ? count : count - 1;
    if (extras > 0) this.#extrasAskedAt = now;
    this.#extraCount = Math.min(this.#extraCount + extras, EXTRA_COUNT_MAX);
    this.#isOwed = true;
    this.#deadlineMs = now + (this.#options.giveUpMs ?? Number.POSITIVE_INFINITY);
    this.#pacing.restart();
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** No more than this from now on for what is owed. */
  hurry(ms: number): void {
    this.#deadlineMs = Math.min(this.#deadlineMs, performance.now() + ms);
    this.#pacing.restart();
  }

  /** Nothing is owed any more but what the last call asks for. Tells whether something was. */
  async cancel(): Promise<boolean> {
    this.#dropStale(performance.now());
    const wasOwed = this.#isOwed || this.#extraCount > 0;
    this.#isEnding = true;
    this.#isOwed = false;
    this.#extraCount = 0;
    this.#round.abort();
    await this.#working;
    this.#round = new AbortController();
    return wasOwed;
  }

  /** All that is owed has been read or given up. */
  async settled(): Promise<void> {
    await this.#working;
  }

  #dropStale(now: number): void {
    if (now - this.#extrasAskedAt > STALE_MS) this.#extraCount = 0;
  }

  async #work(): Promise<void> {
    while (this.#isOwed || this.#extraCount > 0) {
      const isMain = this.#isOwed;
      if (!isMain && this.#heldFd === null) await delay(NEXT_READER_MS);
      const isRead = await this.#deliver(isMain);
      // A request that came while we looked is that of the reader who was found.
      if (isMain || (isRead && this.#isOwed)) this.#isOwed = false;
      else this.#extraCount = isRead ? Math.max(0, this.#extraCount - 1) : 0;
    }
  }

  async #deliver(isMain: boolean): Promise<boolean> {
    const { signal } = this.#round;
    let reply: readonly Uint8Array[] | null = null;
    for (const [index, path] of this.#options.paths.entries()) {
      this.#pacing = new Pacing(PAUSE_MS_MAX);
      const wait = { deadline: this.#deadlineOf(isMain, index), signal, pacing: this.#pacing };
      const fd = this.#takeHeld() ?? (await openForReader(path, wait));
      if (fd === null) return false;
      if (index === 0) this.#options.look();
      if (signal.aborted) {
        if (index === 0) this.#heldFd = fd;
        else closeSync(fd);
        return false;
      }
      reply ??= this.#options.reply();
      write(fd, reply[index]!);
    }
    this.#deliveredCount += 1;
    return true;
  }

  /** Of a further reply, which may be nobody's, and whose reader may leave between two pipes. */
  #deadlineOf(isMain: boolean, index: number): () => number {
    const isBounded = !isMain && (this.#isEnding || index > 0);
    const lookUntil = performance.now() + (isBounded ? EXTRA_LOOK_MS : Number.POSITIVE_INFINITY);
    return () => Math.min(this.#deadlineMs, lookUntil);
  }

  #takeHeld(): number | null {
    const fd = this.#heldFd;
    this.#heldFd = null;
    return fd;
  }
}

/** One write, then closed at once: the reader sees its end of file. */
function write(fd: number, bytes: Uint8Array): void {
  try {
    if (bytes.length > 0) writeSync(fd, bytes);
  } catch {
    // EPIPE: it left between our open and our write. EAGAIN: it has replies by the dozen and reads none. Both
    // had theirs.
  } finally {
    closeSync(fd);
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
