/**
 * The programs of a sandbox that stays. One at a time may be resident: it uses the sandbox's own group, which
 * is free of charge. Those that run concurrently, and those with a memory or process limit of their own, get
 * a group inside, so that each is measured and limited alone; and so do all but the first where the kernel
 * cannot start a group's high-water mark again (v2 before Linux 6.12), since they would be told the first
 * one's.
 */

import { type GroupCounters, readCounters, readCpuNs } from '../cgroup/counters.js';
import type { Group } from '../cgroup/group.js';
import { SandboxError } from '../errors.js';
import { checkCeilings, type ResolvedLimits, resolveLimits } from '../options/limits.js';
import type { SessionOptions } from '../types/internal.js';
import type { LiveUsage } from '../types/limits.js';
import type { RunOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import { Connections } from './connections.js';
import { writeBounds } from './group-limits.js';
import { after, CLOSE_WAIT_MS } from './killing.js';
import { Lifetime } from './lifetime.js';
import type { Concurrency, ProgramRequest } from './request.js';
import { Running } from './running.js';
import type { SandboxLease } from './sandbox-lease.js';

const NS_PER_MS = 1e6;

/** A program and what it was asked for with. */
export type LivingProgram = readonly [Running, Readonly<Pick<ProgramRequest, 'file' | 'args'>>];

export class Session {
  readonly lease: SandboxLease;
  readonly #options: SessionOptions;
  readonly #limits: ResolvedLimits;
  readonly #startedAt = performance.now();
  /** Counters of the group before any program. */
  readonly #baseline: GroupCounters;
  readonly #living = new Map<Running, ProgramRequest>();
  /** Whose streams may still be open. */
  readonly #spawned = new Set<Running>();
  /** From the host to its programs. */
  readonly connections: Connections;
  readonly #closer = () => this.close();
  readonly #lifetime = new Lifetime(() => void this.close());
  /** The program that uses the sandbox's group, or is about to: whether others have run concurrently. */
  #resident: Concurrency | null = null;
  #hadResident = false;
  /** Of the program that used it last. */
  #residentId = 0;
  #closed: Promise<void> | null = null;
  #closing: AbortController | null = null;
  #lastUsage: LiveUsage | null = null;
  /** Of programs that had a group of their own and are over. */
  #formerMembersCpuNs = 0;
  /** High-water marks reported so far: the kernel's own start anew when a group is used again. */
  #memoryPeakBytes = 0;
  #processPeakCount = 0;

  constructor(lease: SandboxLease, options: SessionOptions, limits: ResolvedLimits) {
    this.lease = lease;
    this.#options = options;
    this.#limits = limits;
    this.connections = new Connections(lease, () => this.closing);
    this.#baseline = readCounters(lease.slot.cgroup.group);
    // The sandbox as a whole is bounded from the start; programs inside can only get less.
    writeBounds(lease.slot.cgroup, limits, this.#baseline.chargedBytes ?? 0);
    lease.core.closers.add(this.#closer);
    lease.whyClosed = () => this.#lifetime.reason;
    this.#lifetime.set(options.lifetimeMs ?? null);
  }

  /** Programs that have been started and whose end is not known yet, in the order of their starts. */
  get living(): Iterable<LivingProgram> {
    return this.#living;
  }

  /** Aborted when it closes. */
  get closing(): AbortSignal {
    this.#closing ??= new AbortController();
    if (this.#closed !== null) this.#closing.abort();
    return this.#closing.signal;
  }

  /** By `close`, its lifetime or its engine. */
  get isClosed(): boolean {
    return this.#closed !== null || this.lease.closed;
  }

  checkOpen(): void {
    if (this.isClosed) throw this.lease.closedError();
    if (this.lease.lost !== null) throw this.lease.lost;
  }

  /** The request must have been checked. `spawned`: the caller holds streams. */
  async start(
    file: string,
    args: readonly string[],
    options: RunOptions,
    spawned: boolean,
  ): Promise<Running> {
    this.checkOpen();
    checkCeilings(options.limits, this.lease.core.options.ceilings);
    const limits = resolveLimits(this.#limits, options.limits);
    const concurrency = this.#mayReside(limits) ? this.#asResident() : undefined;
    if (concurrency !== undefined) {
      this.#resident = concurrency;
      this.#hadResident = true;
    } else if (this.#resident !== null) this.#resident.others = true;
    let member: Group | undefined;
    try {
      if (concurrency === undefined) member = await this.#makeMember();
      const request = {
        file,
        args: [...args], // the caller's may change while it lives
        options,
        limits,
        env: this.#options.env,
        oneShot: false,
        notify: spawned,
        member,
        concurrency,
      };
      const started = Running.start(this.lease, request);
      const running = started instanceof Promise ? await started : started;
      if (spawned) {
        this.#spawned.add(running);
        void running.stdio.allRead().then(() => this.#spawned.delete(running));
      }
      this.#follow(running, request);
      return running;
    } catch (error) {
      if (this.#resident === concurrency) this.#resident = null;
      if (member !== undefined) await this.#removeMember(member);
      throw error;
    }
  }

  /** Usage of all programs so far, and the memory that they hold now. */
  usage(): LiveUsage {
    if (this.#lastUsage !== null) return this.#lastUsage;
    const now = readCounters(this.lease.slot.cgroup.group);
    const { cpuNs, memoryBytes, chargedBytes } = this.#baseline;
    const less = (value: number | null, base: number | null) =>
      value === null ? null : Math.max(0, value - (base ?? 0));
    const held = less(now.memoryBytes, memoryBytes);
    const peaks = this.#raisePeaks(
      less(now.memoryPeakBytes, chargedBytes),
      less(now.tasks, this.lease.slot.cgroup.helperTasks),
    );
    return {
      cpuTimeMs: ((now.cpuNs ?? 0) - (cpuNs ?? 0)) / NS_PER_MS,
      wallTimeMs: performance.now() - this.#startedAt,
      memoryBytes: held,
      fileCacheBytes: now.fileCacheBytes,
      ...peaks,
    };
  }

  /** Peaks with these among them; `null` for what nothing measures. */
  #raisePeaks(
    memory: number | null,
    processes: number | null,
  ): Pick<LiveUsage, 'memoryPeakBytes' | 'processPeakCount'> {
    this.#memoryPeakBytes = Math.max(this.#memoryPeakBytes, memory ?? 0);
    this.#processPeakCount = Math.max(this.#processPeakCount, processes ?? 0);
    return {
      memoryPeakBytes: memory === null ? null : this.#memoryPeakBytes,
      processPeakCount: processes === null ? null : this.#processPeakCount,
    };
  }

  /** Counted anew from now; `null`: until `close`. */
  setLifetime(ms: number | null): void {
    this.checkOpen();
    this.#lifetime.set(ms);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#lastUsage = { ...this.usage(), memoryBytes: 0 };
    this.lease.core.closers.delete(this.#closer);
    this.#lifetime.stop();
    this.#closing?.abort();
    const ends = [...this.#living.keys()].map((running) => {
      running.end();
      return running.result.catch(() => undefined);
    });
    const graceMs = Math.max(0, ...[...this.#living.keys()].map((running) => running.graceMs));
    await Promise.race([Promise.all(ends), after(graceMs + CLOSE_WAIT_MS)]);
    for (const running of this.#spawned) running.stdio.closeStreams();
    this.connections.close();
    this.lease.close();
  }

  #mayReside({ memoryBytes, processCount }: ResolvedLimits): boolean {
    const { core, slot } = this.lease;
    if (slot.cgroup.group === null) return true;
    if (this.#hadResident && core.tree?.resetsPeak === false) return false;
    const asSandbox = memoryBytes === this.#limits.memoryBytes && processCount === this.#limits.processCount;
    // Init kills what is in the group until it has reported the last resident, also when its caller has been
    // told already.
    return asSandbox && this.#resident === null && !this.lease.isUnreported(this.#residentId);
  }

  /** The sandbox's group counts what its members use. */
  #asResident(): Concurrency {
    const before = this.#membersCpuNs();
    return { others: this.#living.size > 0, othersCpuNs: () => this.#membersCpuNs() - before };
  }

  #membersCpuNs(): number {
    let sum = this.#formerMembersCpuNs;
    for (const { member } of this.#living.values()) if (member !== undefined) sum += readCpuNs(member) ?? 0;
    return sum;
  }

  /** `undefined` without cgroups. */
  async #makeMember(): Promise<Group | undefined> {
    try {
      return await this.lease.slot.cgroup.group?.makeMember();
    } catch (cause) {
      this.checkOpen(); // closed meanwhile: that is why
      const { errno } = cause as NodeJS.ErrnoException;
      const message = 'The program’s own cgroup could not be made';
      throw new SandboxError({
        code: 'SBX_SANDBOX_SETUP',
        message,
        stage: 'cgroupJoin',
        errno: Math.abs(errno ?? 0),
        cause,
      });
    }
  }

  #follow(running: Running, request: ProgramRequest): void {
    const { concurrency, member } = request;
    this.#living.set(running, request);
    if (concurrency !== undefined) this.#residentId = running.id;
    const over = (result?: RunResult) => {
      if (result?.usage !== undefined) {
        this.#raisePeaks(result.usage.memoryPeakBytes, result.usage.processPeakCount);
      }
      this.#living.delete(running);
      if (this.#resident === concurrency) this.#resident = null;
      if (member !== undefined) void this.#removeMember(member);
    };
    running.result.then(over, () => over());
  }

  /** The sandbox's group goes on counting what it used. */
  async #removeMember(member: Group): Promise<void> {
    this.#formerMembersCpuNs += readCpuNs(member) ?? 0;
    await member.remove();
  }
}
