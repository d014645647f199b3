/**
 * A sandbox in use: its slot, its init's channel, its work folder. Programs are started in it, and init's
 * messages are dispatched by program id. One-shot runs, sessions and groups are all built on it.
 */

import { lineOf } from '../cgroup/counters.js';
import type { Group } from '../cgroup/group.js';
import { memoryAbove } from '../cgroup/memory-above.js';
import type { EngineCore } from '../engine/core.js';
import { ClosedError, OverloadedError, type SbxError } from '../errors.js';
import type { WorkFolder } from '../files/trees.js';
import { sendActivate, sendMakeSocket, sendSignal, sendStart } from '../native/channel.js';
import { EAGAIN, EPIPE } from '../native/errno.js';
import type {
  ActivateMessage,
  Channel,
  EndedMessage,
  FailedMessage,
  HelperMessage,
  StartMessage,
} from '../native/native.js';
import { type Cause, PROGRAMS_MAX } from '../native/tables.js';
import { lostError, setupError } from '../pool/failures.js';
import type { SandboxSpec } from '../pool/sandbox-spec.js';
import type { Slot } from '../pool/slot.js';
import { AwaitedSockets } from './awaited-sockets.js';
import { closeReported } from './stdio/init-files.js';

/** Receives the messages about one program. Exactly one of `onEnded`, `onFailed`, `onLost` comes, last. */
export interface ProgramListener {
  /** That bounds it. */
  readonly group: Group | null;
  onStarted(pid: number, fds: number[]): void;
  onEnded(ended: EndedMessage): void;
  onFailed(failed: FailedMessage): void;
  onLost(error: SbxError): void;
}

/** The causes of a program's end that the host may name: some of `CAUSES`. */
export type SignalCause = Exclude<Cause, 'cpu-limit'>;

const SIGKILL_STATUS = 9;
const BUSY_RETRY_MS = 10;

export class SandboxLease {
  readonly core: EngineCore;
  readonly slot: Slot;
  /** The CPU that it has, where the engine gives each sandbox one. */
  readonly cpu: number | null;
  /** Its own file systems. */
  readonly folder: WorkFolder;
  /** A clause, when it was not its owner who closed it. */
  whyClosed: () => string | null = () => null;
  readonly #channel: Channel;
  readonly #listeners = new Map<number, ProgramListener>();
  /** Warm processes: they do not keep the host's process alive. */
  readonly #idle = new Set<number>();
  /** Only where one was ever asked for. */
  #sockets: AwaitedSockets | null = null;
  #nextId = 1;
  #closed = false;
  #closing: AbortController | null = null;
  #lost: SbxError | null = null;

  private constructor(core: EngineCore, slot: Slot) {
    const { channel, treeFds } = slot.attach((message) => this.#onMessage(message));
    this.core = core;
    this.slot = slot;
    this.folder = {
      native: core.native,
      trees: treeFds.map((fd, index) => ({ target: core.treeTargets[index]!, fd })),
      owner: slot.owner,
      folderMode: core.folderMode,
      checkOpen: () => {
        if (this.#closed) throw this.closedError();
      },
      closing: () => {
        this.#closing ??= new AbortController();
        return this.#closing.signal;
      },
      isLiving: () => this.alive > 0,
      lastCall: null,
    };
    this.#channel = channel;
    this.cpu = core.pins?.acquire() ?? null;
  }

  /** Leases a ready sandbox of this spec; a promise only when none is ready. */
  static acquire(core: EngineCore, spec: SandboxSpec): SandboxLease | Promise<SandboxLease> {
    const slot = core.acquire(spec);
    return slot instanceof Promise
      ? slot.then((claimed) => SandboxLease.#on(core, claimed))
      : SandboxLease.#on(core, slot);
  }

  static #on(core: EngineCore, slot: Slot): SandboxLease {
    try {
      return new SandboxLease(core, slot);
    } catch (error) {
      core.pool.detach(slot); // the engine was closed meanwhile
      core.pool.release(slot);
      throw error;
    }
  }

  get closed(): boolean {
    return this.#closed;
  }
  get lost(): SbxError | null {
    return this.#lost;
  }
  /** Programs that have not ended. */
  get alive(): number {
    return this.#listeners.size;
  }

  /** Init has not said that this program has ended, whatever its caller has been told. */
  isUnreported(programId: number): boolean {
    return this.#listeners.has(programId);
  }

  /** What calls on it are told once it is closed. */
  closedError(): ClosedError {
    return new ClosedError('The sandbox', { why: this.whyClosed() });
  }

  nextProgramId(): number {
    return this.#nextId++;
  }

  /**
   * Sends the start message; throws when the socket refuses it. A warm process does not keep the host's
   * process alive.
   */
  start(message: StartMessage, listener: ProgramListener): void {
    if (this.#closed) throw this.closedError();
    if (this.#lost !== null) throw this.#lost;
    if (this.alive >= PROGRAMS_MAX) {
      const message = `${this.alive} programs live in this sandbox, as many as there can be.`;
      throw new OverloadedError({ message, retryAfterMs: BUSY_RETRY_MS });
    }
    const sent = sendStart(this.#channel, message);
    if (sent < 0) this.slot.cgroup.forgetLimits();
    if (sent === EAGAIN) {
      const message = 'Init has not taken the programs that were asked for before.';
      throw new OverloadedError({ message, retryAfterMs: BUSY_RETRY_MS });
    }
    if (sent < 0) throw lostError(`The sandbox (errno ${-sent})`);
    this.slot.creationHints.spareInput = message.contents.length > 0;
    this.#listeners.set(message.programId, listener);
    if (message.ahead) this.#idle.add(message.programId);
    else this.core.native.holdLoop(); // while a program lives, the process stays for its end
    this.core.pool.prepareDeferred();
  }

  /** Activates a warm process: its limits and meters begin. False when init is gone. */
  activate(message: ActivateMessage): boolean {
    return !this.#closed && sendActivate(this.#channel, message) >= 0;
  }

  /** A warm process belongs to a request from now on. */
  adopt(programId: number, listener: ProgramListener): void {
    this.#listeners.set(programId, listener);
    if (this.#idle.delete(programId)) this.core.native.holdLoop();
  }

  /** Signals a program; `cause` is what its end is put down to, if nothing came first. */
  signal(programId: number, signal: number, cause: SignalCause, everything: boolean): void {
    if (!this.#listeners.has(programId)) return;
    // A refusal means that init is gone, which the channel reports by itself.
    void sendSignal(this.#channel, { programId, signal, everything, cause });
  }

  /** A stream socket of the sandbox's network, not connected; a negative error number where there is none. */
  makeSocket(ipv6: boolean): Promise<number> {
    if (this.#closed || this.#lost !== null) return Promise.resolve(EPIPE);
    return this.#awaitedSockets().ask((requestId) => sendMakeSocket(this.#channel, { requestId, ipv6 }));
  }

  #awaitedSockets(): AwaitedSockets {
    this.#sockets ??= new AwaitedSockets(this.core.native);
    return this.#sockets;
  }

  /** Gives the sandbox up: init ends, the kernel kills what is left, the slot makes the next one. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const programId of [...this.#listeners.keys()])
      this.#removeListener(programId)?.onLost(this.closedError());
    this.#closing?.abort(this.closedError());
    this.#detach();
    this.#tearDown();
  }

  /**
   * As `close`, for a sandbox whose init has ended by itself: the answer goes out first, and clean-up
   * follows.
   */
  closeAfterEnd(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closing?.abort(this.closedError());
    this.#detach();
    setImmediate(() => this.#tearDown());
  }

  /** The sandbox no longer counts as in use, nor does its CPU. */
  #detach(): void {
    if (this.cpu !== null) this.core.pins?.release(this.cpu);
    this.core.pool.detach(this.slot);
  }

  #tearDown(): void {
    this.#channel.close();
    this.#sockets?.giveUp(EPIPE);
    this.slot.returnDescriptors(this.folder.trees.map(({ fd }) => fd));
    this.core.pool.release(this.slot);
  }

  /** Removes the listener of a program whose last message has come. */
  #removeListener(programId: number): ProgramListener | undefined {
    const listener = this.#listeners.get(programId);
    if (this.#listeners.delete(programId) && !this.#idle.delete(programId)) this.core.native.releaseLoop();
    return listener;
  }

  #onMessage(message: HelperMessage): void {
    if (message.kind === 'closed') return this.#onClosed(lostError('The sandbox'));
    if (message.kind === 'failed' && message.stage === 'message') return this.#onClosed(setupError(message));
    if (message.kind === 'ready') return;
    if (message.kind === 'socket') return this.#awaitedSockets().take(message);
    if (message.kind === 'started') {
      const listener = this.#listeners.get(message.programId);
      if (listener === undefined) this.core.native.closeFds(message.fds);
      else listener.onStarted(message.pid, message.fds);
      return;
    }
    const listener = this.#removeListener(message.programId);
    if (message.kind === 'ended') {
      this.slot.cgroup.noteEnd(message);
      const above =
        message.oomKillCount > 0
          ? memoryAbove(message, [this.slot.cgroup.group, listener?.group ?? null])
          : null;
      if (listener === undefined || above !== null) closeReported(message.outputs);
      if (above === null) listener?.onEnded(message);
      else listener?.onLost(above);
    } else {
      this.slot.cgroup.forgetLimits();
      listener?.onFailed(message);
    }
  }

  /**
   * Init died, or cannot be understood. If memory ran out in its group, that is a verdict on the program;
   * else it is our failure.
   */
  #onClosed(error: SbxError): void {
    if (this.#closed || this.#lost !== null) return;
    this.#lost = error;
    this.slot.cgroup.noteLoss();
    this.#sockets?.giveUp(EPIPE);
    const ended = this.#endedByMemory();
    for (const programId of [...this.#listeners.keys()]) {
      const listener = this.#removeListener(programId);
      if (ended === null) listener?.onLost(this.#lost);
      else listener?.onEnded({ ...ended, programId });
    }
  }

  #endedByMemory(): EndedMessage | null {
    const { group } = this.slot.cgroup;
    const kills = lineOf(group?.read('memoryEvents') ?? null, 'oom_kill') ?? 0;
    if (kills === 0) return null; // a group that saw a kill is not used again
    const ended: EndedMessage = {
      kind: 'ended',
      programId: 0,
      waitStatus: SIGKILL_STATUS,
      cause: 'memory-limit',
      cpuNs: null,
      wallNs: 0,
      memoryPeakBytes: Number(group?.read('memoryPeak') ?? 0),
      fileCacheBytes: null,
      oomKillCount: kills,
      taskPeak: null,
      taskPeakBefore: null,
      maxRssBytes: 0,
      outputs: undefined,
    };
    return memoryAbove(ended, [group]) === null ? ended : null;
  }
}
