/**
 * A slot: room for one sandbox at a time. It has a keeper process, a user of its own and a cgroup, which outlive the
 * sandboxes; everything else is fresh in each. A cgroup is kept only while the next sandbox cannot see the last one's
 * marks in it: high-water marks that do not start again, caches that are still charged to it.
 */

import type { Group } from '../cgroup/group.js';
import type { CgroupTree } from '../cgroup/tree.js';
import { ClosedError, isSbxError, type SbxError } from '../errors.js';
import { EPIPE } from '../native/errno.js';
import {
  type Channel,
  type CreationHints,
  type EndedMessage,
  type HelperMessage,
  hostError,
  loadNative,
} from '../native/native.js';
import { openChannel } from '../native/reports.js';
import { sendGroups, sendPrepare } from '../native/sends.js';
import type { ResolvedLimits } from '../options/limits.js';
import { groupError, lostError, setupError } from './failures.js';
import { type AttachedSandbox, NextSandbox } from './next-sandbox.js';
import type { SandboxSpec } from './sandbox-spec.js';

export type SlotState = 'starting' | 'preparing' | 'ready' | 'busy' | 'ended';

/** Memory of earlier sandboxes that may still be charged to a group; with more, the next sandbox would have too high a limit by it and gets another group. */
const RESIDUE_BYTES_MAX = 2 ** 20;
/** With a lower limit the creation of the next sandbox might fail: the memory of the last one is uncharged late. */
const CREATION_BYTES = 8 * 2 ** 20;

/** Limits that hold for all of a sandbox. */
export type CpuLimits = Pick<ResolvedLimits, 'cpuRate' | 'cpuWeight' | 'cpuSet'>;
const NO_CPU_LIMITS: CpuLimits = { cpuRate: null, cpuWeight: null, cpuSet: null };

export interface SlotListener {
  onReady(slot: Slot): void;
  /** Whether the slot is to be notified of a ready sandbox at once; else `pollReady` is called, later. */
  isAwaited(): boolean;
  onLost(slot: Slot, error: SbxError): void;
}

export class Slot {
  readonly id: number;
  /** First host id of this slot: init's; the next is the program's. */
  readonly uidBase: number;
  state: SlotState = 'starting';
  spec: SandboxSpec;
  group: Group | null = null;
  /** Limits that were written last, so that equal ones are not written again; `null` in a fresh group. */
  writtenLimits: { memoryBytes: number | null; tasks: number | null } | null = null;
  /** Hints for the creation of the next sandbox. */
  readonly creationHints: CreationHints = { spareInput: false, oneCpu: false };
  /** CPU limits that the group has. */
  cpuLimits: CpuLimits = NO_CPU_LIMITS;
  /** v1: a group of `cpuset`, made when a program first asks. */
  cpuSetGroup: Group | null = null;
  #next: NextSandbox | null = null;
  /** Roots of the last sandbox: the keeper closes them last, since that unmounts file systems. */
  #returnedFds: number[] = [];
  #dirty = false;
  /** Memory charged to the group when its first sandbox was ready; `null` until then. */
  #firstHeldBytes: number | null = null;
  #ended: Promise<void> | null = null;
  #recreation: Promise<void> = Promise.resolve();
  /** Former groups on their way out. */
  readonly #removals = new Set<Promise<void>>();
  readonly #tree: CgroupTree | null;
  readonly #listener: SlotListener;
  readonly #channel: Channel;

  constructor(
    id: number,
    uidBase: number,
    spec: SandboxSpec,
    tree: CgroupTree | null,
    listener: SlotListener,
    clone: (helperEnd: number) => void,
  ) {
    this.id = id;
    this.uidBase = uidBase;
    this.spec = spec;
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

  /** Tasks of the helper in the group: init, and with v1 the keeper. */
  get helperTasks(): number {
    return this.group?.layout.version === 'v1' ? 2 : 1;
  }

  /** Host id of programs, for files made for them; -1 when rootless. */
  get owner(): number {
    return this.uidBase === 0 ? -1 : this.uidBase + 1;
  }

  /** Reserves a ready slot for one request. */
  claim(): void {
    this.state = 'busy';
  }

  /** Attaches a lease to the sandbox of a claimed slot; channel and descriptors are the lease's from now on. */
  attach(occupant: (message: HelperMessage) => void): AttachedSandbox {
    if (this.state !== 'busy' || !this.#next?.isReady) throw new ClosedError('The engine');
    const taken = this.#next.attach(occupant);
    this.#next = null;
    return taken;
  }

  /** Returns the descriptors that `attach` gave. */
  returnDescriptors(treeFds: number[]): void {
    this.#returnedFds.push(...treeFds);
    if (this.state === 'ended') this.#closeReturned();
  }

  /** Ends the use of its sandbox: the slot counts as one that makes its next sandbox. */
  endUse(): void {
    if (this.state === 'busy') this.state = 'preparing';
    this.spec = this.spec.nextSpec ?? this.spec;
  }

  /** A claimed slot that was not used after all. */
  unclaim(): void {
    if (this.state === 'preparing' && this.#next?.isReady) this.state = 'ready';
  }

  /** Init died before its time: nothing is known of what it left in the group. */
  noteLoss(): void {
    this.#dirty = true;
  }

  /** Limits have to be written again: writing them failed, or a start did, perhaps before or while they were written. */
  forgetLimits(): void {
    this.writtenLimits = null;
  }

  /** Looks at the marks that a program left in the group. */
  noteEnd({ taskPeak, oomKillCount }: EndedMessage): void {
    if (taskPeak !== null && taskPeak > this.helperTasks + 1) this.#dirty = true;
    if (oomKillCount > 0 || this.#tree?.resetsPeak === false) this.#dirty = true;
  }

  /** The sandbox of this slot is over (its channel is closed, or its init is dead): makes the next one. `oneCpu`: see `CreationHints`. */
  prepare(spec: SandboxSpec, oneCpu = false): void {
    if (this.state === 'ended') return;
    this.spec = spec;
    this.creationHints.oneCpu = oneCpu;
    this.state = 'preparing';
    this.#dropUntaken();
    const isNarrow = (this.writtenLimits?.memoryBytes ?? CREATION_BYTES) < CREATION_BYTES;
    if ((this.#dirty || isNarrow) && this.#tree !== null) {
      void this.#recreateGroupThenPrepare();
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
    else await this.#recreateGroupThenPrepare();
  }

  async #recreateGroupThenPrepare(): Promise<void> {
    this.#recreation = this.#recreateGroup();
    try {
      await this.#recreation;
      this.#sendPrepare();
    } catch (error) {
      this.#fail(isSbxError(error) ? error : groupError(error as NodeJS.ErrnoException));
    }
  }

  /** Receives the message that the sandbox being made is ready, if it has come. */
  pollReady(): void {
    if (this.state === 'preparing') this.#next?.pollReady();
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
    if (this.state === 'ended') return;
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

  /**
   * The next sandbox stands, and no process of the last one is left: all that its group holds beyond what such a sandbox takes would raise
   * the limit of the next program. Then this sandbox is dropped, and made again in a fresh group.
   */
  #onMade(heldBytes: number | null): void {
    if (heldBytes !== null) {
      this.#firstHeldBytes ??= heldBytes;
      if (heldBytes - this.#firstHeldBytes > RESIDUE_BYTES_MAX) {
        this.#dropUntaken();
        return void this.#recreateGroupThenPrepare();
      }
    }
    this.state = 'ready';
    this.#listener.onReady(this);
  }

  async #recreateGroup(): Promise<void> {
    const old = this.group;
    const group = await this.#tree!.makeGroup(this.uidBase);
    if (this.state === 'ended') return void (await group.remove());
    // v1: the keeper moves, and inits are born where it is. v2: they are born in the folder, the keeper stays in a group of its own.
    const joins = group.layout.version === 'v1' ? group.joins : old === null ? this.#tree!.keeperJoins : [];
    const sent = sendGroups(this.#channel, { ...group.fds, joins, folder: group.folderFd });
    this.group = group;
    this.writtenLimits = null;
    this.#dirty = false;
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

  #closeReturned(): void {
    loadNative().native.closeFds(this.#returnedFds.splice(0));
  }

  #dropUntaken(): void {
    this.#next?.drop();
    this.#next = null;
  }

  async #end(): Promise<void> {
    this.state = 'ended';
    this.#dropUntaken();
    this.#closeReturned();
    this.#channel.close();
    await this.#recreation.catch(() => undefined); // its failure has been reported
    if (this.group !== null) this.#discard(this.group);
    await Promise.all(this.#removals);
    await this.cpuSetGroup?.remove();
  }
}
