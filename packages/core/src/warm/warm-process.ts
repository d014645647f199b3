/**
 * A warm process: a program that was started in a sandbox of its own before its request, and is blocked in
 * the opening of its entry file. It has seen nothing of a user, and serves one request.
 */

import { type GroupCounters, readCounters, readCpuNs } from '../cgroup/counters.js';
import type { EngineCore } from '../engine/core.js';
import { errnoName } from '../errno.js';
import { ClosedError, FileAccessError, type SbxError } from '../errors.js';
import { copyIn } from '../files/copy.js';
import { ENOENT } from '../native/errno.js';
import type { NativeGate } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';
import { lostError, startError } from '../pool/failures.js';
import { writeBounds, writeCpuShare } from '../run/group-limits.js';
import { holdUntilEnd, type Started } from '../run/one-shot.js';
import { nanoseconds } from '../run/plan.js';
import { attemptOf, environmentFor, type ProgramRequest, startMessage } from '../run/request.js';
import { Running } from '../run/running.js';
import { SandboxLease } from '../run/sandbox-lease.js';
import { ChildDescriptors } from '../run/stdio/child-descriptors.js';
import type { FreshRunOptions } from '../types/internal.js';
import type { LaunchSpec } from './launch-spec.js';

/** CPU time of a process until it is warm: a broken interpreter must not spin for ever. */
const START_CPU_MS = 30_000;
/**
 * The kernel charges memory ahead, 256 KiB per CPU that a group runs on, so a difference of two readings may
 * lack that.
 */
const CHARGED_AHEAD_BYTES = 2 * 256 * 1024;
/** Errors by which a missing kernel feature or a missing right shows. */
const CANNOT_HOLD: readonly string[] = ['EPERM', 'ENOSYS', 'EINVAL', 'ENODEV', 'EOPNOTSUPP'];

/** This machine cannot hold programs at all; the message says why. Never reaches a caller. */
export class CannotHoldError extends Error {}

/** The request that a warm process is activated with. */
export interface Activation {
  bytes: Uint8Array;
  limits: ResolvedLimits;
  options: FreshRunOptions;
}

export interface WarmProcessOptions {
  core: EngineCore;
  /** The fanotify open gate, which holds it; `native/addon/gate.h` says how. */
  gate: NativeGate;
  launchSpec: LaunchSpec;
  /** Files that are there until the process is warm. */
  warmUpFiles: Readonly<Record<string, string>>;
  /** Bound of its memory until it is activated. */
  memoryBytes: number;
  startMs: number;
  /** The process ended while it was warm. */
  onLost: (process: WarmProcess) => void;
}

export class WarmProcess {
  readonly launchSpec: LaunchSpec;
  /** Memory that it holds, in bytes; 0 until it is warm. */
  memoryBytes = 0;
  /** It is blocked at its entry file, and no request has acquired it. */
  isWarm = false;
  /** By which the gate knows its entry file, from its hold until its resumption; else negative. */
  gateId = -1;
  readonly #options: WarmProcessOptions;
  #lease: SandboxLease | null = null;
  #programId = 0;
  /** The host's ends of its three pipes. */
  #pipes: number[] | null = null;
  #baseline: GroupCounters | null = null;
  /** Highest use on the way to its entry file: a request with less would not have come so far. */
  #startPeak = { memoryBytes: 0, tasks: 0 };
  #opening: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  #over = false;

  constructor(options: WarmProcessOptions) {
    this.#options = options;
    this.launchSpec = options.launchSpec;
  }

  /** Resolves when the process is warm; rejects when it never will be. */
  async begin(): Promise<void> {
    const { core, startMs } = this.#options;
    const timer = setTimeout(
      () => this.#lose(lostError(`A program started ahead (${startMs} ms)`)),
      startMs,
    ).unref();
    try {
      const taken = SandboxLease.acquire(core, this.launchSpec.spec);
      this.#lease = taken instanceof Promise ? await taken : taken;
      if (this.#over) throw new ClosedError('The standby');
      await this.#start(this.#lease);
      this.#measure();
      // The limits that the next request will most likely have: then they are in force already.
      if (this.fits(this.launchSpec.limits)) this.#writeBounds(this.launchSpec.limits);
      this.isWarm = true;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether it got here with no more than these limits allow. */
  fits({ memoryBytes, processCount }: ResolvedLimits): boolean {
    const { memoryBytes: memory, tasks } = this.#startPeak;
    return (
      (memoryBytes === null || memoryBytes >= memory) && (processCount === null || processCount >= tasks)
    );
  }

  /**
   * Begins limits and meters, then resumes the program with its entry file. `null`: the process was gone
   * before that.
   */
  activate({ bytes, limits, options }: Activation): Started | null {
    this.isWarm = false;
    const lease = this.#lease!;
    const { core, slot } = lease;
    const baseline = { ...this.#baseline!, cpuNs: readCpuNs(slot.cgroup.group) };
    try {
      writeCpuShare(core, slot.cgroup, limits);
      this.#writeBounds(limits);
    } catch {
      return this.#lose(lostError('A waiting program')); // an ordinary start says what is wrong
    }
    const sent = lease.activate({
      programId: this.#programId,
      cpuLimitNs: nanoseconds(limits.cpuTimeMs),
      wallLimitNs: nanoseconds(limits.wallTimeMs),
      memoryLimitBytes: limits.memoryBytes ?? 0,
      cpuCount: core.usableCpus,
      cpuBaseNs: baseline.cpuNs,
    });
    if (!sent || !this.#resume(bytes)) return this.#lose(lostError('A waiting program'));
    const { file, args } = this.launchSpec;
    const warmStart = { id: this.#programId, pipes: this.#pipes!, baseline };
    const running = Running.adoptWarm(lease, {
      file,
      args,
      options,
      limits,
      oneShot: true,
      notify: true,
      warmStart,
    });
    this.#pipes = null;
    this.#over = true;
    return holdUntilEnd(lease, running, options);
  }

  /** The gate says that the process is blocked at its entry file. */
  noteOpened(): void {
    this.#opening?.resolve();
  }

  /** Ends the process, unless a request has it. */
  close(): void {
    this.#over = true;
    this.isWarm = false;
    this.#lease?.close();
    if (this.#pipes !== null) this.#options.core.native.closeFds(this.#pipes);
    this.#pipes = null;
    if (this.gateId >= 0) this.#options.gate.drop(this.gateId);
    this.gateId = -1;
    this.#opening?.reject(new ClosedError('The standby'));
  }

  async #start(lease: SandboxLease): Promise<void> {
    const { entry, files } = this.launchSpec;
    const { folder } = lease;
    const work = folder.trees[0]!.fd;
    await copyIn(folder, { ...files, ...this.#options.warmUpFiles });
    folder.checkOpen();
    const opened = new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject };
    });
    opened.catch(() => undefined); // awaited below, unless something else fails first
    this.gateId = this.#options.gate.hold({ dir: work, path: entry, owner: folder.owner });
    if (this.gateId < 0) throw holdError(entry, -this.gateId);
    this.#launch(lease);
    await opened;
    this.#opening = null;
    for (const name of Object.keys(this.#options.warmUpFiles)) {
      folder.checkOpen();
      await folder.native.removeTree({ dir: work, name, owner: folder.owner });
    }
    folder.checkOpen();
  }

  #launch(lease: SandboxLease): void {
    const { file, args, limits, options } = this.launchSpec;
    const request: ProgramRequest = {
      file,
      args,
      options: { env: options.env, cwd: options.cwd },
      limits: {
        ...limits,
        cpuTimeMs: START_CPU_MS,
        wallTimeMs: null,
        memoryBytes: this.#options.memoryBytes,
      },
      oneShot: true,
      notify: false,
      preStarted: true,
    };
    const environment = environmentFor(request.options, undefined, lease.core.toolchainPath);
    const attempt = attemptOf(request, environment, lease.core);
    this.#programId = lease.nextProgramId();
    this.#baseline = readCounters(lease.slot.cgroup.group);
    const listener = {
      group: null,
      onStarted: () => undefined,
      onEnded: () => this.#lose(lostError(`${file}, started ahead,`)),
      onFailed: (failed: Parameters<typeof startError>[0]) => this.#lose(startError(failed, attempt)),
      onLost: (error: SbxError) => this.#lose(error),
    };
    const descriptors = new ChildDescriptors(lease.core.native);
    this.#pipes = [];
    try {
      for (const target of [0, 1, 2]) this.#pipes.push(descriptors.addPipe(target, target !== 0));
      const parts = {
        id: this.#programId,
        stdio: { ...descriptors.rows(false), contents: [], outputRows: [], outputPaths: [], terminal: null },
        joins: [],
        env: environment,
        paths: attempt.paths,
        group: lease.slot.cgroup.group,
      };
      lease.start(startMessage(lease, request, parts), listener);
    } finally {
      descriptors.close();
    }
  }

  #writeBounds(limits: ResolvedLimits): void {
    writeBounds(this.#lease!.slot.cgroup, limits, this.#baseline?.chargedBytes ?? 0);
  }

  #measure(): void {
    const { slot } = this.#lease!;
    const now = readCounters(slot.cgroup.group);
    this.memoryBytes = now.memoryBytes ?? 0;
    this.#startPeak = {
      memoryBytes:
        Math.max(0, (now.memoryPeakBytes ?? 0) - (this.#baseline?.chargedBytes ?? 0)) + CHARGED_AHEAD_BYTES,
      tasks: now.tasks === null ? 0 : now.tasks - slot.cgroup.helperTasks,
    };
  }

  /** Gives the entry file to the program. False when the program is gone. */
  #resume(bytes: Uint8Array): boolean {
    const opened = this.#options.gate.open({ id: this.gateId, bytes });
    if (opened === ENOENT) return false;
    if (opened < 0) {
      this.close();
      const path = this.launchSpec.entry;
      throw new FileAccessError({ operation: 'copy-in', path, errno: -opened });
    }
    this.gateId = -1;
    return true;
  }

  #lose(error: SbxError): null {
    if (this.#over) return null;
    const wasWarm = this.isWarm;
    this.#opening?.reject(error);
    this.close();
    if (wasWarm) this.#options.onLost(this);
    return null;
  }
}

function holdError(path: string, errno: number): Error {
  const cause = errnoName(errno);
  if (CANNOT_HOLD.includes(cause)) {
    return new CannotHoldError(
      `programs cannot be held at the opening of a file (fanotify: ${cause}); root in the first user namespace is needed`,
    );
  }
  return new FileAccessError({ operation: 'copy-in', path, errno });
}
