/**
 * A slot: room for one sandbox at a time. It has a keeper process, a user of its own and a cgroup, which
 * outlive the sandboxes; everything else is fresh in each.
 */

import type { CgroupTree } from '../cgroup/tree.js';
import { ClosedError, isSbxError, type SbxError } from '../errors.js';
import { openChannel, sendGroups, sendPrepare } from '../native/channel.js';
import { EPIPE } from '../native/errno.js';
import {
  type Channel,
  type CreationHints,
  type HelperMessage,
  hostError,
  loadNative,
} from '../native/native.js';
import { groupError, lostError, setupError } from './failures.js';
import { type AttachedSandbox, NextSandbox } from './next-sandbox.js';
import type { SandboxSpec } from './sandbox-spec.js';
import { SlotCgroup } from './slot-cgroup.js';

/**
 * `starting`: its keeper is being cloned. `preparing`: its next sandbox is being made, or will be when the
 * last one is cleaned up. `ready`: the sandbox stands. `leased`: it belongs to a request. `ended`: the slot
 * is given up.
 */
export type SlotState = 'starting' | 'preparing' | 'ready' | 'leased' | 'ended';

const MOVES: Readonly<Record<SlotState, readonly SlotState[]>> = {
  starting: ['preparing', 'ended'],
  preparing: ['preparing', 'ready', 'ended'],
  ready: ['leased', 'preparing', 'ended'], // preparing: it is made anew, with another spec
  leased: ['preparing', 'ended'],
  ended: [],
};

/** Returns `to`. Throws where there is no such move, which is a fault of ours. */
export function moveSlot(from: SlotState, to: SlotState): SlotState {
  if (!MOVES[from].includes(to)) throw new Error(`A slot went from ${from} to ${to}.`);
  return to;
}

export interface SlotListener {
  onReady(slot: Slot): void;
  /** Whether the slot is to be notified of a ready sandbox at once; else `pollReady` is called, later. */
  isAwaited(): boolean;
  onLost(slot: Slot, error: SbxError): void;
}

export interface SlotParts {
  id: number;
  /** First host id of this slot: init's; the next is the program's. 0 when rootless. */
  uidBase: number;
  spec: SandboxSpec;
  tree: CgroupTree | null;
  listener: SlotListener;
  /** Has the keeper cloned, and closes `helperEnd`, its end of the channel. */
  clone: (helperEnd: number) => void;
}

export class Slot {
  readonly id: number;
  readonly uidBase: number;
  spec: SandboxSpec;
  readonly cgroup: SlotCgroup;
  /** Hints for the creation of the next sandbox. */
  readonly creationHints: CreationHints = { spareInput: false, oneCpu: false };
  #state: SlotState = 'starting';
  #next: NextSandbox | null = null;
  /** Roots of the last sandbox: the keeper closes them last, since that unmounts file systems. */
  #returnedFds: number[] = [];
  #ended: Promise<void> | null = null;
  #groupMaking: Promise<void> = Promise.resolve();
  readonly #listener: SlotListener;
  readonly #channel: Channel;

  constructor({ id, uidBase, spec, tree, listener, clone }: SlotParts) {
    this.id = id;
    this.uidBase = uidBase;
    this.spec = spec;
    this.cgroup = new SlotCgroup(tree, uidBase);
    this.#listener = listener;
    const { native } = loadNative();
    const pair = native.channelPair();
    if (typeof pair === 'number')
      throw setupError({ stage: 'slotClone', stageText: 'make a socket', index: 9, errno: -pair });
    let channel: Channel | undefined;
    try {
      channel = openChannel(pair[0], (message) => this.#onMessage(message));
      clone(pair[1]);
    } catch (error) {
      if (channel === undefined) native.closeFds([pair[1]]);
      channel?.close();
      throw error;
    }
    this.#channel = channel;
  }

  get state(): SlotState {
    return this.#state;
  }

  /** Host id of programs, for files made for them; -1 when rootless. */
  get owner(): number {
    return this.uidBase === 0 ? -1 : this.uidBase + 1;
  }

  /** Reserves a ready slot for one request. */
  claim(): void {
    this.#move('leased');
  }

  /**
   * Attaches a lease to the sandbox of a claimed slot; channel and descriptors are the lease's from now on.
   */
  attach(occupant: (message: HelperMessage) => void): AttachedSandbox {
    if (this.#state !== 'leased' || !this.#next?.isReady) throw new ClosedError('The engine');
    const taken = this.#next.attach(occupant);
    this.#next = null;
    return taken;
  }

  /** Returns the descriptors that `attach` gave. */
  returnDescriptors(treeFds: number[]): void {
    this.#returnedFds.push(...treeFds);
    if (this.#state === 'ended') this.#closeReturned();
  }

  /** Ends the use of its sandbox: the slot counts as one that makes its next sandbox. */
  endUse(): void {
    if (this.#state === 'leased') this.#move('preparing');
    this.spec = this.spec.nextSpec ?? this.spec;
  }

  /** A claimed slot that was not used after all. */
  unclaim(): void {
    if (this.#state === 'preparing' && this.#next?.isReady) this.#move('ready');
  }

  /**
   * The sandbox of this slot is over (its channel is closed, or its init is dead): makes the next one.
   * `oneCpu`: see `CreationHints`.
   */
  prepare(spec: SandboxSpec, oneCpu = false): void {
    if (this.#state === 'ended') return;
    this.spec = spec;
    this.creationHints.oneCpu = oneCpu;
    this.#move('preparing');
    this.#dropUntaken();
    this.#makeNext();
  }

  /** Ends the keeper, and with it whatever runs; resolves when that is so and the group is removed. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  #onMessage(message: HelperMessage): void {
    if (message.kind === 'closed') return this.#onClosed();
    if (message.kind === 'failed') return this.#fail(setupError(message));
    if (message.kind === 'ready') this.#onKeeper();
  }

  /** The keeper stands: its first group, its first sandbox. */
  #onKeeper(): void {
    if (this.#state === 'ended') return;
    this.#move('preparing');
    this.#makeNext();
  }

  /** In another group where that must be; without waiting where it need not. */
  #makeNext(): void {
    if (this.cgroup.mustBeMade) void this.#makeGroupThenNext();
    else this.#sendPrepare();
  }

  async #makeGroupThenNext(): Promise<void> {
    this.#groupMaking = this.cgroup.make(
      (order) => {
        if (sendGroups(this.#channel, order) < 0) throw lostError('The keeper of a slot');
      },
      () => this.#state === 'ended',
    );
    try {
      await this.#groupMaking;
      this.#sendPrepare();
    } catch (error) {
      this.#fail(isSbxError(error) ? error : groupError(error as NodeJS.ErrnoException));
    }
  }

  /** Receives the message that the sandbox being made is ready, if it has come. */
  pollReady(): void {
    if (this.#state === 'preparing') this.#next?.pollReady();
  }

  /** Whether the ready sandbox still lives; else the slot is given up. */
  isStillReady(): boolean {
    return this.#next?.isStillReady() === true;
  }

  /** Is notified of a ready sandbox from now on. */
  subscribe(): void {
    this.#next?.subscribe();
  }

  #sendPrepare(): void {
    if (this.#state === 'ended') return;
    const fd = sendPrepare(this.#channel, this.spec, this.creationHints, this.#returnedFds);
    this.#closeReturned();
    if (fd < 0)
      return this.#fail(fd === EPIPE ? lostError('The keeper of a slot') : hostError('make a sandbox', fd));
    try {
      const onReady = (heldBytes: number | null) => this.#onMade(heldBytes);
      this.#next = new NextSandbox(fd, !this.#listener.isAwaited(), onReady, (error) => this.#fail(error));
    } catch (error) {
      this.#fail(error as SbxError);
    }
  }

  #onMade(heldBytes: number | null): void {
    if (!this.cgroup.holdsLittle(heldBytes)) {
      this.#dropUntaken();
      return void this.#makeGroupThenNext();
    }
    this.#move('ready');
    this.#listener.onReady(this);
  }

  #fail(error: SbxError): void {
    if (this.#state === 'ended') return;
    this.#listener.onLost(this, error);
  }

  #move(to: SlotState): void {
    this.#state = moveSlot(this.#state, to);
  }

  #onClosed(): void {
    this.#fail(lostError('The keeper of a slot'));
  }

  #closeReturned(): void {
    loadNative().native.closeFds(this.#returnedFds.splice(0));
  }

  #dropUntaken(): void {
    this.#next?.drop();
    this.#next = null;
  }

  async #end(): Promise<void> {
    this.#move('ended');
    this.#dropUntaken();
    this.#closeReturned();
    this.#channel.close();
    await this.#groupMaking.catch(() => undefined); // its failure has been reported
    await this.cgroup.remove();
  }
}
