/** Who works: announcements in a bucket whose entries go by themselves when they are not renewed. */
import { decodeAnnouncement, encodeAnnouncement, type WorkerDescription } from '../wire/announcement.js';
import { type Broker, PRESENCE_MS } from './connection.js';

const RENEW_MS = PRESENCE_MS / 3;

/** Announces a worker until the returned function is called, which takes it back. */
export function announce({ workers }: Broker, describe: () => WorkerDescription): () => Promise<void> {
  const { name } = describe();
  const put = () => void workers.put(name, encodeAnnouncement(describe())).catch(() => undefined); // the next one comes
  put();
  const timer = setInterval(put, RENEW_MS);
  return async () => {
    clearInterval(timer);
    await workers.delete(name).catch(() => undefined); // then it goes by itself
  };
}

/** The workers that announced themselves lately. */
export class WorkerList {
  readonly #workers = new Map<string, { announcement: WorkerDescription; heardAt: number }>();
  #stop: () => void = () => undefined;
  #onChange: () => void;

  private constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Resolves when those that are there now are known. */
  static async open({ workers }: Broker, onChange: () => void): Promise<WorkerList> {
    const list = new WorkerList(onChange);
    let setKnown: () => void = () => undefined;
    const known = new Promise<void>((resolve) => {
      setKnown = resolve;
    });
    const status = await workers.status();
    if (status.values === 0) setKnown();
    const entries = await workers.watch();
    list.#stop = () => entries.stop();
    void (async () => {
      for await (const { key, value, operation, delta } of entries) {
        list.#hear(key, operation === 'PUT' ? decodeAnnouncement(value) : null);
        if (delta === 0) setKnown();
      }
    })();
    await known;
    return list;
  }

  all(): WorkerDescription[] {
    const since = performance.now() - PRESENCE_MS;
    return [...this.#workers.values()].flatMap(({ announcement, heardAt }) =>
      heardAt >= since ? [announcement] : [],
    );
  }

  close(): void {
    this.#stop();
  }

  #hear(key: string, announcement: WorkerDescription | null): void {
    if (announcement === null || announcement.name !== key) this.#workers.delete(key);
    else this.#workers.set(key, { announcement, heardAt: performance.now() });
    this.#onChange();
  }
}
