/**
 * One managed process. Its life: the directory is ready; the program starts, or does not; every request is
 * answered, before and after the program's end; with the last call the program goes, or is killed, the last
 * reply is read or given up, and the directory is removed. Nothing on this way blocks: `inbox.ts` hears
 * requests, `answers.ts` owes replies, `watch.ts` knows the program, `relay.ts` carries its input and output
 * where they are pipes too.
 */
import type { FifoReading } from '../reply.js';
import type { FifoRequest } from '../request.js';
import { Answers } from './answers.js';
import { Directory } from './directory.js';
import { Inbox } from './inbox.js';
import { LAYOUTS, type Layout } from './layout.js';
import { EXTRA_LOOK_MS, RELEASE_MS, resolveOptions, type Settings } from './options.js';
import { Relay } from './relay.js';
import type { FifoEnd, FifoEvent, FifoOptions, ManagedProgram, ProgramStart } from './types.js';
import { Watch } from './watch.js';
import { within } from './within.js';

/**
 * Answers for one program in a directory of its own. Leaving the scope of `await using` ends the program.
 *
 * @example
 * ```ts
 * const manager = await FifoManager.open(() => sandbox.spawn('python3', ['main.py']));
 * manager.dir; // give it to the client
 * await manager.finished; // the last call was made, and the directory is gone
 * ```
 */
export class FifoManager implements AsyncDisposable {
  /** Resolves when the program has started or could not: both are answered for. */
  readonly started: Promise<void>;
  /** Resolves when everything is over and the directory is gone. Never rejects. */
  readonly finished: Promise<FifoEnd>;
  readonly #settings: Settings;
  readonly #layout: Layout;
  readonly #directory: Directory;
  readonly #watch = new Watch();
  readonly #inbox: Inbox;
  readonly #answers: Answers;
  readonly #relay: Relay | null;
  readonly #cleanUps: (() => Promise<void>)[] = [];
  #complaint: string | null = null;
  #isOver = false;
  #isClosing = false;
  #ending: FifoEnd['reason'] | null = null;
  /**
   * Requests of the time in which the program leaves or is killed: they get the final reply. `null` at other
   * times.
   */
  #askedMeanwhile: number | null = null;
  #settle!: (end: FifoEnd) => void;

  private constructor(settings: Settings, directory: Directory, start: ProgramStart) {
    const layout = LAYOUTS[settings.layout];
    this.#settings = settings;
    this.#layout = layout;
    this.#directory = directory;
    this.finished = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#answers = new Answers({
      paths: layout.replies.map((name) => directory.pipe(name)),
      reply: () => layout.encode(this.#nextReading()),
      look: () => this.#inbox.look(),
      giveUpMs: settings.giveUpMs,
    });
    this.#relay = settings.pipes
      ? new Relay(directory.pipe(layout.downward), directory.pipe(layout.upward))
      : null;
    const { requestBytes } = layout;
    this.#inbox = new Inbox(directory.pipe(layout.wait), requestBytes, (requests) => this.#take(requests));
    if (!layout.startsWhenOpened) this.#inbox.listen();
    this.started = this.#start(start);
  }

  /**
   * Makes the directory, then calls `start`. Resolves when clients may come. Throws a `FifoError` when that
   * cannot be.
   */
  static async open(start: ProgramStart, options?: FifoOptions): Promise<FifoManager> {
    const settings = resolveOptions(options);
    const directory = await Directory.make(settings, LAYOUTS[settings.layout]);
    try {
      return new FifoManager(settings, directory, start);
    } catch (error) {
      directory.remove();
      throw error;
    }
  }

  /** Absolute path of the directory with the pipes. */
  get dir(): string {
    return this.#directory.path;
  }

  /** The program, once it has started. */
  get program(): ManagedProgram | null {
    return this.#watch.program;
  }

  /** What a client would be told now. */
  reading(): FifoReading {
    return this.#watch.reading();
  }

  /**
   * As a last call that nobody waits for: the program goes or is killed, the directory is removed. Safe to
   * call twice.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#answers.hurry(EXTRA_LOOK_MS);
    if (this.#ending === null) void this.#end('closed');
    await this.finished;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(start: ProgramStart): Promise<void> {
    const relay = this.#relay;
    if (relay !== null && this.#layout.startsWhenOpened && !(await relay.opened())) return;
    await this.#watch.start(start, (cleanUp) => this.#atEnd(cleanUp));
    const { program } = this.#watch;
    this.#inbox.listen();
    if (program !== null) relay?.connect(program);
    else void relay?.refuse();
  }

  #take(requests: readonly FifoRequest[]): void {
    for (const request of requests) {
      if (request.kind === 'stray') this.#complaint = complaintOf(request.byte);
      const { kind, ...byte } = request;
      this.#publish({ kind: 'request', request: kind, ...byte });
    }
    const isLast = requests.some(({ kind }) => kind === 'last-call');
    if (isLast && this.#ending === null) void this.#end('last-call');
    else if (this.#askedMeanwhile !== null) this.#askedMeanwhile += requests.length;
    else if (!this.#isClosing) this.#answers.owe(requests.length); // nobody may keep it from closing
  }

  #nextReading(): FifoReading {
    const complaints = this.#complaint === null ? [] : [this.#complaint];
    this.#complaint = null;
    const reading = this.#watch.reading(complaints);
    this.#publish({ kind: 'reply', reading: { ...reading } });
    return reading;
  }

  #publish(event: FifoEvent): void {
    try {
      this.#settings.onEvent(event);
    } catch {
      // the observer's own; clients are answered in any case
    }
  }

  async #end(reason: FifoEnd['reason']): Promise<void> {
    this.#ending = reason;
    // Whoever asked before is answered with the final figures too, if there is anybody.
    this.#askedMeanwhile = 0;
    const wasOwed = await this.#answers.cancel();
    await this.#watch.finish(this.#settings.graceMs);
    const before = this.#answers.deliveredCount;
    const count = Number(reason === 'last-call') + Number(wasOwed) + this.#askedMeanwhile;
    this.#askedMeanwhile = null;
    if (count > 0) this.#answers.owe(count);
    if (this.#isClosing) this.#answers.hurry(EXTRA_LOOK_MS);
    await within(RELEASE_MS, this.#answers.settled());
    if (this.#answers.isOwing) await this.#cleanUp();
    await this.#answers.settled();
    const delivered = this.#answers.deliveredCount > before;
    await this.#removeAll();
    await this.#cleanUp();
    this.#settle({ reading: this.#watch.reading(), reason, delivered });
  }

  async #cleanUp(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#cleanUps.splice(0).map(attempt));
  }

  #atEnd(cleanUp: () => Promise<void>): void {
    if (this.#isOver) void attempt(cleanUp);
    else this.#cleanUps.push(cleanUp);
  }

  /** First no more requests; those that had slipped in are answered; then no more replies. */
  async #removeAll(): Promise<void> {
    this.#directory.removePipe(this.#layout.wait);
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#inbox.close();
    this.#answers.hurry(EXTRA_LOOK_MS);
    await this.#answers.settled();
    this.#directory.remove();
    this.#relay?.close();
  }
}

/** What the caller wanted done at the end is the caller's; it cannot keep us from ending. */
async function attempt(cleanUp: () => Promise<void>): Promise<void> {
  await cleanUp().catch(() => undefined);
}

function complaintOf(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  return `unknown request 0x${hex} taken as "go on"`;
}
