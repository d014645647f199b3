/**
 * Places for executions: so many run, so many wait, and the rest is refused. None of the connections can keep
 * another out: free places go round those that wait, one execution each, and some spare places are for
 * connections of which nothing runs. An execution that waits for its client alone is parked: it keeps its
 * sandbox, and its place goes to another.
 */

/** A place, or a place in the queue. */
export interface Ticket {
  /** Gives it up. Safe to call twice. */
  leave(): void;
  /** Lends the place to others. `false`: so many are parked already that it keeps it for now. */
  park(): boolean;
  /** Goes on, whether a place is free or not: its sandbox and its time limit run in any case. */
  unpark(): void;
}

/** The part of one connection. */
export interface Share {
  /**
   * `granted` is called when there is a place: at once, or later, never after `leave`. `null`: see `refusal`.
   */
  enter(granted: () => void): Ticket | null;
  /** Why nothing more can be taken; `null` when it can. */
  readonly refusal: string | null;
  /** The connection is gone. */
  remove(): void;
}

export interface AdmissionBounds {
  places: number;
  queueLength: number;
  /** Beyond `places`, each for a connection of which nothing runs. */
  sparePlaces: number;
  /** Beyond `queueLength`, each for a connection of which nothing waits. */
  spareQueueLength: number;
  /** Most places of one connection, those of its parked executions included. */
  sharePlaces: number;
  /** Most that wait on one connection. */
  shareQueueLength: number;
}

const FULL = 'All places are taken and the queue is full.';
const SHARE_FULL =
  'This connection has all the places and the part of the queue that one connection may have.';

export class Admission {
  readonly #bounds: AdmissionBounds;
  readonly #shares = new Set<ConnectionShare>();
  /** Shares with executions that wait, the one whose turn it is first. */
  readonly #turns = new Set<ConnectionShare>();
  #held = 0;
  #parked = 0;
  #waiting = 0;

  constructor(bounds: AdmissionBounds) {
    this.#bounds = bounds;
  }

  /** Executions that were granted a place, those that are parked included. */
  get active(): number {
    return this.#held + this.#parked;
  }
  /** Executions that wait for one. */
  get waiting(): number {
    return this.#waiting;
  }
  get isFull(): boolean {
    return this.#held >= this.#bounds.places && this.#waiting >= this.#bounds.queueLength;
  }

  /**
   * For a new connection, until `remove`. `onEvict`: its programs wait for it, too many of them, and their
   * places are needed.
   */
  share(onEvict: () => void): Share {
    const share = new ConnectionShare({ admission: this, bounds: this.#bounds, onEvict });
    this.#shares.add(share);
    return share;
  }

  /** @internal Whether an execution of a connection may run now. */
  hasPlaceFor({ running }: ConnectionShare): boolean {
    const { places, sparePlaces, sharePlaces } = this.#bounds;
    if (running >= sharePlaces) return false;
    return this.#held < (running === 0 ? places + sparePlaces : places);
  }

  /** @internal Whether one more of a connection may wait. */
  isQueueFullFor({ waiting }: ConnectionShare): boolean {
    const { queueLength, spareQueueLength } = this.#bounds;
    return this.#waiting >= (waiting === 0 ? queueLength + spareQueueLength : queueLength);
  }

  /** @internal The connection is gone, and all of it has left. */
  remove(share: ConnectionShare): void {
    this.#shares.delete(share);
  }

  /** @internal It waits from now on. */
  queue(share: ConnectionShare): void {
    this.#waiting += 1;
    this.#turns.add(share);
  }

  /** @internal It waits no more, without having got a place. */
  unqueue(share: ConnectionShare): void {
    this.#waiting -= 1;
    if (share.waiting === 0) this.#turns.delete(share);
  }

  /** @internal */
  take(): void {
    this.#held += 1;
  }

  /** @internal A place is free, or a share may have one more. */
  give(): void {
    this.#held -= 1;
    this.#pass();
  }

  /** @internal As many may be parked as there are places: parked ones cost memory. */
  park(): boolean {
    if (this.#parked >= this.#bounds.places) {
      this.#evictOne();
      return false;
    }
    this.#parked += 1;
    this.give();
    return true;
  }

  /** @internal */
  unpark(): void {
    this.#parked -= 1;
    this.#held += 1;
  }

  /** The connection with most of them is the one that holds up the others, when others wait. */
  #evictOne(): void {
    const shares = [...this.#shares];
    if (shares.some(({ isEvicted }) => isEvicted)) return; // what it had is being freed
    const most = shares.reduce((found, share) => (share.parked > found.parked ? share : found));
    const { sharePlaces } = this.#bounds;
    if ([...this.#turns].some((share) => share !== most && share.running < sharePlaces)) most.evict();
  }

  #pass(): void {
    for (;;) {
      const share = [...this.#turns].find((candidate) => this.hasPlaceFor(candidate));
      if (share === undefined) return;
      this.#turns.delete(share);
      this.#waiting -= 1;
      this.#held += 1;
      share.grantNext();
      if (share.waiting > 0) this.#turns.add(share); // behind all others
    }
  }
}

interface ShareParts {
  admission: Admission;
  bounds: AdmissionBounds;
  onEvict: () => void;
}

class ConnectionShare implements Share {
  readonly #parts: ShareParts;
  readonly #queue = new Set<Place>();
  /** Executions that were granted a place, those that are parked included. */
  running = 0;
  parked = 0;
  isEvicted = false;

  constructor(parts: ShareParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get refusal(): string | null {
    const { admission, bounds } = this.#parts;
    if (admission.hasPlaceFor(this)) return null;
    if (admission.isQueueFullFor(this)) return FULL;
    return this.waiting >= bounds.shareQueueLength ? SHARE_FULL : null;
  }

  enter(granted: () => void): Ticket | null {
    if (this.refusal !== null) return null;
    const { admission } = this.#parts;
    const place = new Place(admission, this, granted);
    if (admission.hasPlaceFor(this)) {
      admission.take();
      place.takeNow();
    } else {
      this.#queue.add(place);
      admission.queue(this);
    }
    return place;
  }

  remove(): void {
    this.#parts.admission.remove(this);
  }

  evict(): void {
    this.isEvicted = true;
    this.#parts.onEvict();
  }

  /** A place was taken for the one that has waited longest. */
  grantNext(): void {
    const [next] = this.#queue;
    this.#queue.delete(next!);
    next!.grant();
  }

  /** It gives up waiting. */
  unqueue(place: Place): void {
    this.#queue.delete(place);
    this.#parts.admission.unqueue(this);
  }
}

class Place implements Ticket {
  readonly #admission: Admission;
  readonly #share: ConnectionShare;
  readonly #granted: () => void;
  #state: 'waiting' | 'running' | 'parked' | 'gone' = 'waiting';

  constructor(admission: Admission, share: ConnectionShare, granted: () => void) {
    this.#admission = admission;
    this.#share = share;
    this.#granted = granted;
  }

  /** Told once the caller has the ticket, and has said that it was taken. */
  takeNow(): void {
    this.#run();
    void Promise.resolve().then(() => this.#state !== 'gone' && this.#granted());
  }

  grant(): void {
    this.#run();
    this.#granted();
  }

  leave(): void {
    const before = this.#state;
    if (before === 'gone') return;
    this.unpark();
    this.#state = 'gone';
    if (before === 'waiting') return this.#share.unqueue(this);
    this.#share.running -= 1;
    this.#admission.give();
  }

  park(): boolean {
    if (this.#state !== 'running') return this.#state === 'parked';
    this.#state = 'parked'; // before others are granted: what they do must find it so
    this.#share.parked += 1;
    if (this.#admission.park()) return true;
    this.#state = 'running';
    this.#share.parked -= 1;
    return false;
  }

  unpark(): void {
    if (this.#state !== 'parked') return;
    this.#state = 'running';
    this.#share.parked -= 1;
    this.#admission.unpark();
  }

  #run(): void {
    this.#state = 'running';
    this.#share.running += 1;
  }
}
