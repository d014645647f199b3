/**
 * Messages for a stream, each with the broker's answer. The library's own `publish` makes an inbox entry, a
 * timer, three promises and an error with its stack for each; here all share one inbox and one timer.
 */
import { JetStreamApiError } from '@nats-io/jetstream';
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

/** Until the broker's answer counts as lost: the message may be stored all the same. */
const ANSWER_MS = 5000;

/** What the broker says of a message that it has stored, or had before. */
export interface Stored {
  seq: number;
  duplicate?: boolean;
}

interface Ask {
  subject: string;
  askedAt: number;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

export class Asks {
  readonly #connection: NatsConnection;
  readonly #inbox: string;
  /** By the last part of their inboxes, oldest first. */
  readonly #open = new Map<string, Ask>();
  #count = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(connection: NatsConnection, inboxPrefix?: string) {
    this.#connection = connection;
    this.#inbox = `${createInbox(inboxPrefix)}.`;
    connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => {
        if (error === null) this.#onAnswer(message);
      },
    });
    void connection.closed().then(() => this.#giveUp(Number.POSITIVE_INFINITY, 'the connection was closed'));
  }

  /** Rejects with `JetStreamApiError` when the broker refuses it. */
  publish(subject: string, data: Uint8Array, headers: MsgHdrs): Promise<Stored> {
    return new Promise((resolve, reject) => {
      const name = (this.#count++).toString(36);
      this.#connection.publish(subject, data, { headers, reply: this.#inbox + name });
      this.#open.set(name, { subject, askedAt: performance.now(), resolve, reject });
      this.#timer ??= setTimeout(() => this.#onTimer(), ANSWER_MS);
    });
  }

  /** The broker took none of the messages to that subject. */
  refuse(subject: string, error: Error): void {
    for (const [name, ask] of this.#open) {
      if (ask.subject !== subject) continue;
      this.#open.delete(name);
      ask.reject(error);
    }
  }

  #onAnswer(message: Msg): void {
    const name = message.subject.slice(this.#inbox.length);
    const ask = this.#open.get(name);
    if (ask === undefined) return;
    this.#open.delete(name);
    try {
      ask.resolve(storedOf(message));
    } catch (error) {
      ask.reject(error);
    }
  }

  #onTimer(): void {
    this.#timer = null;
    this.#giveUp(performance.now() - ANSWER_MS, 'the broker did not answer');
    for (const { askedAt } of this.#open.values()) {
      const leftMs = Math.max(1, askedAt + ANSWER_MS - performance.now());
      this.#timer = setTimeout(() => this.#onTimer(), leftMs);
      return; // the oldest
    }
  }

  /** Those that were asked until then. */
  #giveUp(until: number, why: string): void {
    for (const [name, ask] of this.#open) {
      if (ask.askedAt > until) return;
      this.#open.delete(name);
      ask.reject(new Error(why));
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function storedOf(message: Msg): Stored {
  if (message.data.byteLength === 0) throw new Error('nobody listens for that stream'); // status 503
  const answer = message.json<Stored & { error?: ConstructorParameters<typeof JetStreamApiError>[0] }>();
  if (answer.error !== undefined) throw new JetStreamApiError(answer.error);
  return answer;
}
