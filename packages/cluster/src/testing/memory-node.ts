/** What a broker in memory knows of the processes at it. */
import type { Delivery } from '../links.js';
import type { Cancel, Notice } from '../wire/notice.js';

export interface Pull {
  node: Node;
  askedAt: number;
  signal: AbortSignal;
  /** Places of the worker that wait for it. */
  takers: ((delivery: Delivery | null) => void)[];
  /** Jobs that the broker may still send. */
  left: number;
}

/** A process at the network. */
export class Node {
  readonly name: string;
  isDead = false;
  cutUntil = 0;
  onNotice: ((notice: Notice) => void) | null = null;
  onCancel: ((tenant: string, cancel: Cancel) => void) | null = null;
  onReconnect: (() => void) | null = null;
  onPresence: (() => void) | null = null;
  /** Acknowledgements since the last pull, with which the next one goes along. */
  acks = 0;
  lastPull: Pull | null = null;
  /** Who waits for which record. */
  readonly followers = new Map<string, (record: Uint8Array) => void>();

  constructor(name: string) {
    this.name = name;
  }
}
