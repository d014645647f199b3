/**
 * Requests that are not answered yet, over all connections: one that waits for its turn is in memory until
 * then, and many large ones would be more than the server has. Small ones are not counted, since their number
 * has a bound of its own and they should get through beside large ones.
 */

export interface RoomBounds {
  bytesMax: number;
  /** Requests that may wait for room. */
  waitingMax: number;
  /** Of a body, to come whole while others wait for room. Default: a minute. */
  comingMs?: number;
}

/** The room of one request. */
export interface RequestPlace {
  /** Its last byte has come. */
  whole(): void;
  /** It is answered, or its client has gone. Safe to call twice. */
  free(): void;
}

/** Up to this size a request is not counted. */
export const SMALL_REQUEST_BYTES = 64 * 1024;

const SMALL: RequestPlace = { whole: () => undefined, free: () => undefined };
const COMING_MS = 60_000;
const LOOKS = 10;

interface Waiting {
  bytes: number;
  enter(): void;
}

interface Coming {
  since: number;
  cut(): void;
}

export class RequestRoom {
  readonly #bounds: Required<RoomBounds>;
  readonly #waiting: Waiting[] = [];
  readonly #coming = new Set<Coming>();
  #bytes = 0;
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;
  /** Told when `isFull` changes. */
  onChange: (isFull: boolean) => void = () => undefined;

  constructor(bounds: RoomBounds) {
    this.#bounds = { comingMs: COMING_MS, ...bounds };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * More is held than may be: until half of that has gone, nothing more should be read. Half, so that both
   * those that wait in line and those that were not read get their share of what becomes free.
   */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether one of this size may be taken now. One that is alone may always. */
  fits(bytes: number): boolean {
    if (bytes <= SMALL_REQUEST_BYTES || this.#bytes === 0) return true;
    return !this.#isFull && this.#bytes + bytes <= this.#bounds.bytesMax;
  }

  /** One that has come whole. It is counted whether there is room or not. */
  hold(bytes: number): RequestPlace {
    if (bytes <= SMALL_REQUEST_BYTES) return SMALL;
    this.#count(bytes);
    return this.#place(bytes, null);
  }

  /**
   * For one of a known size, before it is read: resolves when it may be, in the order of the calls. `null`:
   * too many wait already. `cut` is called when it does not come while others wait.
   */
  async reserve(bytes: number, cut: () => void): Promise<RequestPlace | null> {
    if (bytes <= SMALL_REQUEST_BYTES) return SMALL;
    if (this.#waiting.length === 0 && this.fits(bytes)) this.#count(bytes);
    else if (this.#waiting.length >= this.#bounds.waitingMax) return null;
    else await this.#wait(bytes);
    const coming = { since: performance.now(), cut };
    this.#coming.add(coming);
    return this.#place(bytes, coming);
  }

  #place(bytes: number, coming: Coming | null): RequestPlace {
    let isFree = false;
    const whole = () => {
      if (coming !== null) this.#coming.delete(coming);
    };
    const free = () => {
      if (isFree) return;
      isFree = true;
      whole();
      this.#count(-bytes);
      this.#letIn();
    };
    return { whole, free };
  }

  #wait(bytes: number): Promise<void> {
    if (this.#waiting.length === 0) this.#watch();
    return new Promise((enter) => this.#waiting.push({ bytes, enter }));
  }

  #letIn(): void {
    while (this.#waiting.length > 0 && this.fits(this.#waiting[0]!.bytes)) {
      const { bytes, enter } = this.#waiting.shift()!;
      this.#count(bytes);
      enter();
    }
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { bytesMax } = this.#bounds;
    const isFull = this.#bytes > (this.#isFull ? bytesMax / 2 : bytesMax);
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.onChange(isFull);
  }

  /** Of those that were given room and do not fill it, while others wait. */
  #watch(): void {
    const waitsSince = performance.now();
    const { comingMs } = this.#bounds;
    this.#timer = setInterval(() => {
      const now = performance.now();
      for (const { since, cut } of this.#coming) if (now - Math.max(since, waitsSince) >= comingMs) cut();
    }, comingMs / LOOKS).unref();
  }
}
