/**
 * A slot: room for one sandbox at a time. It has a keeper process, a user of its own and a cgroup, which outlive the
 * sandboxes; everything else is fresh in each. A cgroup is kept only while the next sandbox cannot see the last one's
 * marks in it: high-water marks that do not start again, caches that are still charged to it.
 */

import type { Group } from '../cgroup/group.js';
import type { CgroupTree } from '../cgroup/tree.js';
import { ClosedError, isSbxError, type SbxError } from '../errors.js';
import {
  type Channel,
  type EndedMessage,
  type HelperMessage,
  hostError,
  loadNative,
  type Making,
} from '../native.js';
import { EPIPE } from '../native-errno.js';
import { openChannel } from '../native-reports.js';
import { sendGroups, sendPrepare } from '../native-sends.js';
import type { ResolvedLimits } from '../options/limits.js';
import { groupError, lostError, setupError } from './failures.js';
import { NextSandbox, type Taken } from './next-sandbox.js';
import type { Shape } from './shape.js';

export type SlotState = 'starting' | 'preparing' | 'ready' | 'busy' | 'ended';

/** Of what earlier sandboxes left charged to a group: with more, the next one would have more than its limit by it, so it gets another group. */
const LEFTOVER_BYTES_MAX = 2 ** 20;
/** With less the next sandbox might not get through its making: what the last one held is given back late. */
const MAKING_BYTES = 8 * 2 ** 20;

/** Limits that hold for all of a sandbox. */
export type CpuLimits = Pick<ResolvedLimits, 'cpuRate' | 'cpuWeight' | 'cpuSet'>;
const NO_CPU_LIMITS: CpuLimits = { cpuRate: null, cpuWeight: null, cpuSet: null };

export interface SlotListener {
  onReady(slot: Slot): void;
  /** Whether the slot itself has to hear that its next sandbox stands; else `settle` is called, later. */
  isAwaited(): boolean;
  onLost(slot: Slot, error: SbxError): void;
}

export class Slot {
  readonly id: number;
  /** First host id of this slot: init's; the next is the program's. */
  readonly uidBase: number;
  state: SlotState = 'starting';
  shape: Shape;
  group: Group | null = null;
  /** Asked for last, so that equal ones are not written again; `null` in a fresh group. */
  writtenLimits: { memoryBytes: number | null; tasks: number | null } | null = null;
  /** How the next sandbox is made. */
  readonly making: Making = { spareInput: false, oneCpu: false };
  /** CPU limits that the group has. */
  cpuLimits: CpuLimits = NO_CPU_LIMITS;
  /** v1: a group of `cpuset`, made when a program first asks. */
  cpuSetGroup: Group | null = null;
  #next: NextSandbox | null = null;
  /** Roots of the last sandbox: the keeper lets go of them last, since that takes file systems apart. */
  #left: number[] = [];
  #soiled = false;
  /** What the group held when its first sandbox was ready; `null` until then. */
  #firstHeldBytes: number | null = null;
  #ended: Promise<void> | null = null;
  #renewing: Promise<void> = Promise.resolve();
  /** Former groups on their way out. */
  readonly #removals = new Set<Promise<void>>();
  readonly #tree: CgroupTree | null;
  readonly #listener: SlotListener;
  readonly #channel: Channel;

  constructor(
    id: number,
    uidBase: number,
    shape: Shape,
    tree: CgroupTree | null,
    listener: SlotListener,
    clone: (helperEnd: number) => void,
  ) {
    this.id = id;
    this.uidBase = uidBase;
    this.shape = shape;
    this.#tree = tree;
    this.#listener = listener;
    const { native } = loadNative();
    const pair = native.channelPair();
    if (typeof pair === 'number')
      throw setupError({ stage: 'slotClone', stageText: 'make a socket', index: 9, errno: -pair });
    let channel: Channel | undefined;
    try {
      channel = openChannel(pair[0], (message) => this.#onMessage(message));
      clone(pair[1]); // which closes it
    } catch (error) {
      if (channel === undefined) native.closeFds([pair[1]]);
      channel?.close();
      throw error;
    }
    this.#channel = channel;
  }

  /** Helper tasks in the group beside the program's: init, and with v1 the keeper. */
  get helperTasks(): number {
    return this.group?.layout.version === 'v1' ? 2 : 1;
  }

  /** Host id of programs, for files made for them; -1 when rootless. */
  get owner(): number {
    return this.uidBase === 0 ? -1 : this.uidBase + 1;
  }

  /** Reserves a ready slot, before anybody else can see it. */
  claim(): void {
    this.state = 'busy';
  }

  /** The sandbox of a claimed slot; channel and descriptors are the caller's from now on. */
  take(occupant: (message: HelperMessage) => void): Taken {
    if (this.state !== 'busy' || !this.#next?.isReady) throw new ClosedError('The engine');
    const taken = this.#next.take(occupant);
    this.#next = null;
    return taken;
  }

  /** Gives back what `take` gave, but for the channel. */
  leave(treeFds: number[]): void {
    this.#left.push(...treeFds);
    if (this.state === 'ended') this.#closeLeft();
  }

  /** Nobody uses it any more: it counts as one that makes its next sandbox. */
  endUse(): void {
    if (this.state === 'busy') this.state = 'preparing';
    this.shape = this.shape.lasting ?? this.shape;
  }

  /** A claimed slot that was not used after all. */
  unclaim(): void {
    if (this.state === 'preparing' && this.#next?.isReady) this.state = 'ready';
  }

  /** Init died before its time: nothing is known of what it left in the group. */
  noteLoss(): void {
    this.#soiled = true;
  }

  /** Writing them failed, or a start did, perhaps before they were written or in the midst of it. */
  forgetLimits(): void {
    this.writtenLimits = null;
  }

  /** Looks at the marks that a program left in the group. */
  noteEnd({ taskPeak, oomKillCount }: EndedMessage): void {
    if (taskPeak !== null && taskPeak > this.helperTasks + 1) this.#soiled = true;
    if (oomKillCount > 0 || this.#tree?.resetsPeak === false) this.#soiled = true;
  }

  /** The sandbox of this slot is over (its init has been told, or is dead): makes the next one. `oneCpu`: as of `Making`. */
  prepare(shape: Shape, oneCpu = false): void {
    if (this.state === 'ended') return;
    this.shape = shape;
    this.making.oneCpu = oneCpu;
    this.state = 'preparing';
    this.#dropUntaken();
    const isNarrow = (this.writtenLimits?.memoryBytes ?? MAKING_BYTES) < MAKING_BYTES;
    if ((this.#soiled || isNarrow) && this.#tree !== null) {
      void this.#renewThenPrepare();
    } else this.#sendPrepare();
  }

  /** Ends the keeper, and with it whatever runs; resolves when that is so and the group is removed. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  #onMessage(message: HelperMessage): void {
    if (message.kind === 'closed') return this.#onClosed();
    if (message.kind === 'failed') return this.#fail(setupError(message));
    if (message.kind === 'ready') void this.#onKeeper();
  }

  /** The keeper stands: its first group, its first sandbox. */
  async #onKeeper(): Promise<void> {
    this.state = 'preparing';
    if (this.#tree === null) this.#sendPrepare();
    else await this.#renewThenPrepare();
  }

  async #renewThenPrepare(): Promise<void> {
    this.#renewing = this.#renewGroup();
    try {
      await this.#renewing;
      this.#sendPrepare();
    } catch (error) {
      this.#fail(isSbxError(error) ? error : groupError(error as NodeJS.ErrnoException));
    }
  }

  /** Looks whether the sandbox that is being made stands by now. */
  settle(): void {
    if (this.state === 'preparing') this.#next?.settle();
  }

  /** Whether the sandbox that stands ready still does; else the slot is given up. */
  stands(): boolean {
    return this.#next?.stands() === true;
  }

  /** Hears of it from now on. */
  listen(): void {
    this.#next?.listen();
  }

  #sendPrepare(): void {
    if (this.state === 'ended') return;
    const fd = sendPrepare(this.#channel, this.shape, this.making, this.#left);
    this.#closeLeft();
    if (fd < 0)
      return this.#fail(fd === EPIPE ? lostError('The keeper of a slot') : hostError('make a sandbox', fd));
    try {
      const onReady = (heldBytes: number | null) => this.#onMade(heldBytes);
      this.#next = new NextSandbox(fd, !this.#listener.isAwaited(), onReady, (error) => this.#fail(error));
    } catch (error) {
      this.#fail(error as SbxError);
    }
  }

  /**
   * The next sandbox stands, and no process of the last one is left: all that its group holds beyond what such a sandbox takes would raise
   * the limit of the next program. Then this sandbox is dropped, and made again in a fresh group.
   */
  #onMade(heldBytes: number | null): void {
    if (heldBytes !== null) {
      this.#firstHeldBytes ??= heldBytes;
      if (heldBytes - this.#firstHeldBytes > LEFTOVER_BYTES_MAX) {
        this.#dropUntaken();
        return void this.#renewThenPrepare();
      }
    }
    this.state = 'ready';
    this.#listener.onReady(this);
  }

  async #renewGroup(): Promise<void> {
    const old = this.group;
    const group = await this.#tree!.makeGroup(this.uidBase);
    if (this.state === 'ended') return void (await group.remove());
    // v1: the keeper moves, and inits are born where it is. v2: they are born in the folder, the keeper has its own place.
    const joins = group.layout.version === 'v1' ? group.joins : old === null ? this.#tree!.keeperJoins : [];
    const sent = sendGroups(this.#channel, { ...group.fds, joins, folder: group.folderFd });
    this.group = group;
    this.writtenLimits = null;
    this.#soiled = false;
    this.#firstHeldBytes = null;
    this.cpuLimits = NO_CPU_LIMITS;
    if (old !== null) this.#discard(old);
    if (sent < 0) throw lostError('The keeper of a slot');
  }

  #discard(group: Group): void {
    const removal = this.#tree!.retire(group).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  #fail(error: SbxError): void {
    if (this.state === 'ended') return;
    this.#listener.onLost(this, error);
  }

  #onClosed(): void {
    this.#fail(lostError('The keeper of a slot'));
  }

  #closeLeft(): void {
    loadNative().native.closeFds(this.#left.splice(0));
  }

  #dropUntaken(): void {
    this.#next?.drop();
    this.#next = null;
  }

  async #end(): Promise<void> {
    this.state = 'ended';
    this.#dropUntaken();
    this.#closeLeft();
    this.#channel.close();
    await this.#renewing.catch(() => undefined); // its failure has been told
    if (this.group !== null) this.#discard(this.group);
    await Promise.all(this.#removals);
    await this.cpuSetGroup?.remove();
  }
}
