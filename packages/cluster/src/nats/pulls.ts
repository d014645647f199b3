/**
 * Pulls of a worker: one place at the broker for each free place here. The library has them as well, with an
 * inbox and timers for each message; here all share an inbox, what is freed together is pulled together, and
 * a pull goes along with the acknowledgement of a job before it, so that a short job costs the broker two
 * messages less. Each write wakes the broker, which costs it more than the message does: so pulls go out
 * together with the record of the job whose place they are for, and acknowledgements wait for a pull. When
 * places are wanted no more, the broker may have a job on its way to them: each delivery is an attempt, so
 * they stay until it has heard that nobody listens, and do what comes until then.
 */
import {
  ClosedConnectionError,
  createInbox,
  type Msg,
  type NatsConnection,
  nanos,
  type Subscription,
} from '@nats-io/transport-node';

/** A pull that brought nothing is made anew. */
const PULL_MS = 5000;
/** Pulls of which nothing was heard are lost: they are in the memory of the consumer's leader. */
const GRACE_MS = 2000;
/** Until the next pull, where the consumer has no leader. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 1000;
/** A job that came and has no place keeps its lease by this. */
const EXTEND_MS = 300;
/** Until places that are wanted no more are given up, where the broker does not answer. */
const LEAVE_MS = 2000;
/** Until an acknowledgement goes out by itself: a lease is far longer. */
const ACK_MS = 20;
const REQUEST_TIMEOUT = 408;
const NOT_FOUND = 404;

export const ACK = '+ACK';
export const IN_PROGRESS = '+WPI';
const NEXT = '+NXT';
const NOT_NOW = '-NAK';

/** For a message that somebody is to get after so long. */
export function notNow(ms: number): string {
  return `${NOT_NOW} ${JSON.stringify({ delay: nanos(ms) })}`;
}

/** A free place of the worker. */
interface Place {
  signal: AbortSignal;
  give(message: Msg | null): void;
}

export class Pulls {
  readonly #connection: NatsConnection;
  readonly #subject: string;
  readonly #inboxPrefix: string | undefined;
  readonly #free: Place[] = [];
  /** That take what the broker had sent before it heard that they are wanted no more. */
  readonly #leaving: Place[] = [];
  /** Those that places were asked for with: one listener each, not one for each job. */
  readonly #signals = new WeakSet<AbortSignal>();
  /** More than there are places for: rare, when pulls that counted as lost were not. */
  readonly #surplus: Msg[] = [];
  #acks: Msg[] = [];
  #acking: NodeJS.Timeout | null = null;
  /** No place is wanted: what comes all the same is for others. */
  #isLeft = false;
  /** Messages that the pulls at the broker may still bring. */
  #asked = 0;
  #inbox!: Subscription;
  /** Of pulls that counted as lost, which may bring something yet. */
  readonly #inboxesBefore = new Set<Subscription>();
  #isScheduled = false;
  #retryMs = RETRY_MS;
  #pausedUntil = 0;
  #watchdog: NodeJS.Timeout | null = null;
  #extending: NodeJS.Timeout | null = null;

  /** `subject`: where the broker is asked for messages of a consumer. */
  constructor(connection: NatsConnection, subject: string, inboxPrefix?: string) {
    this.#connection = connection;
    this.#inboxPrefix = inboxPrefix;
    this.#subject = subject;
    this.#listen();
    void this.#watch();
  }

  /**
   * The next message; `null` when `signal` came first, or the connection was closed meanwhile. Rejects where
   * it is closed: who asks again and again would else never wait.
   */
  next(signal: AbortSignal): Promise<Msg | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.#connection.isClosed()) return Promise.reject(new ClosedConnectionError());
    const waiting = this.#surplus.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    this.#isLeft = false;
    this.#listenTo(signal);
    return new Promise((give) => {
      this.#free.push({ signal, give });
      this.#schedule();
    });
  }

  /** The message is over: nobody gets it again. */
  acknowledge(message: Msg): void {
    this.#acks.push(message);
    this.#acking ??= setTimeout(() => this.flush(), ACK_MS);
  }

  /** What was acknowledged goes out now: before the connection is closed. */
  flush(): void {
    this.#isScheduled = false;
    if (this.#connection.isClosed()) return this.#close();
    const missing = this.#free.length - this.#asked;
    const pull = missing > 0 && performance.now() >= this.#pausedUntil ? this.#pullOf(missing) : null;
    const acks = this.#takeAcks();
    const options = { reply: this.#inbox.getSubject() };
    for (const [index, message] of acks.entries()) {
      if (message.reply === undefined) continue;
      if (index === 0 && pull !== null) this.#connection.publish(message.reply, `${NEXT} ${pull}`, options);
      else this.#connection.publish(message.reply, ACK);
    }
    if (acks.length === 0 && pull !== null) this.#connection.publish(this.#subject, pull, options);
  }

  #takeAcks(): Msg[] {
    if (this.#acking !== null) clearTimeout(this.#acking);
    this.#acking = null;
    const acks = this.#acks;
    this.#acks = [];
    return acks;
  }

  #listenTo(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    const end = () => void this.#leave(signal);
    signal.addEventListener('abort', end, { once: true });
  }

  async #leave(signal: AbortSignal): Promise<void> {
    if (this.#connection.isClosed()) return this.#close();
    const inboxes = [this.#inbox, ...this.#inboxesBefore];
    this.#inboxesBefore.clear();
    this.#listen(); // for places of other signals
    this.#asked = 0;
    const all = this.#free.splice(0);
    this.#free.push(...all.filter((place) => place.signal !== signal));
    this.#leaving.push(...all.filter((place) => place.signal === signal));
    if (this.#free.length > 0) this.#schedule();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, LEAVE_MS);
    });
    // Where the connection was lost nothing comes either.
    const drained = Promise.all(inboxes.map((inbox) => inbox.drain().catch(() => undefined)));
    await Promise.race([drained, late]);
    clearTimeout(timer);
    this.#isLeft = this.#free.length === 0;
    this.#giveBack();
    for (const { give } of this.#leaving.splice(0)) give(null);
  }

  #pullOf(count: number): string {
    this.#asked += count;
    this.#expect();
    return JSON.stringify({ batch: count, expires: nanos(PULL_MS) });
  }

  /** When all promises of this turn have been followed, in one write with the records of `workerLink`. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => this.flush());
  }

  #listen(): void {
    const inbox = this.#connection.subscribe(createInbox(this.#inboxPrefix), {
      callback: (error, message) => {
        if (error !== null) return;
        const isCounted = inbox === this.#inbox;
        if (isCounted) this.#expect();
        // Only what a consumer delivers has a reply. To ask for headers would parse them, for each job.
        if (message.reply !== undefined && message.reply !== '') this.#onMessage(message, isCounted);
        else if (isCounted) this.#onStatus(message);
      },
    });
    this.#inbox = inbox;
  }

  #onMessage(message: Msg, isCounted: boolean): void {
    if (isCounted) this.#asked = Math.max(0, this.#asked - 1);
    this.#retryMs = RETRY_MS;
    const place = this.#free.shift() ?? this.#leaving.shift();
    if (place !== undefined) return place.give(message);
    this.#surplus.push(message);
    if (this.#isLeft) return this.#giveBack();
    this.#extending ??= setInterval(() => this.#extend(), EXTEND_MS);
  }

  /** A pull is over, or was refused. */
  #onStatus({ headers }: Msg): void {
    if (headers === undefined) return; // not of the broker
    const { code } = headers;
    if (code === REQUEST_TIMEOUT || code === NOT_FOUND) {
      const left = Number(headers.get('Nats-Pending-Messages') || this.#asked);
      this.#asked = Math.max(0, this.#asked - left);
      this.#schedule();
    } else {
      this.#restart(this.#retryMs); // no leader, or another one
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    }
  }

  /**
   * Pulls that were made count no more; what they bring all the same is taken. Those that follow have an
   * inbox of their own: the end of an old pull would be taken for that of a new one, which would be made
   * twice from then on.
   */
  #restart(waitMs: number): void {
    const before = this.#inbox;
    this.#inboxesBefore.add(before);
    this.#listen();
    const end = () => {
      const isOpen = this.#inboxesBefore.delete(before) && !this.#connection.isClosed();
      if (isOpen) before.unsubscribe();
    };
    setTimeout(end, PULL_MS + GRACE_MS).unref();
    this.#asked = 0;
    this.#pausedUntil = performance.now() + waitMs;
    setTimeout(() => this.#schedule(), waitMs + 1);
  }

  /** Word of the pulls is due within their time. */
  #expect(): void {
    if (this.#watchdog !== null) return void this.#watchdog.refresh();
    this.#watchdog = setTimeout(() => {
      if (this.#asked > 0) this.#restart(0);
    }, PULL_MS + GRACE_MS);
  }

  #extend(): void {
    for (const { reply } of this.#surplus) {
      if (reply !== undefined && !this.#connection.isClosed()) this.#connection.publish(reply, IN_PROGRESS);
    }
    if (this.#surplus.length > 0 || this.#extending === null) return;
    clearInterval(this.#extending);
    this.#extending = null;
  }

  /** The worker ends: others get what has no place here. */
  #giveBack(): void {
    if (this.#free.length > 0) return;
    for (const { reply } of this.#surplus.splice(0)) {
      if (reply !== undefined && !this.#connection.isClosed()) this.#connection.publish(reply, NOT_NOW);
    }
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'reconnect') this.#restart(0);
    }
    this.#close();
  }

  #close(): void {
    for (const { give } of [...this.#free.splice(0), ...this.#leaving.splice(0)]) give(null);
    if (this.#watchdog !== null) clearTimeout(this.#watchdog);
    if (this.#extending !== null) clearInterval(this.#extending);
    this.#watchdog = null;
    this.#extending = null;
  }
}
