/**
 * One sandbox in which a program has been started ahead of its request, and hangs at the opening of its entry file. It has
 * seen nothing of a user, and serves one request.
 */
import type { EngineCore } from '../../engine/core.js';
import { lostError, startError } from '../../engine/failures.js';
import { type Gate, gateReason } from '../../engine/gate.js';
import { errnoName } from '../../errno.js';
import { ClosedError, FileAccessError, type SbxError } from '../../errors.js';
import { copyIn } from '../../files/copy.js';
import { ENOENT } from '../../native-errno.js';
import type { ResolvedLimits } from '../../options/limits.js';
import type { OneShotOptions } from '../../types.js';
import { attemptOf } from '../attempt.js';
import { writeBounds } from '../bounds.js';
import { writeCpuShare } from '../cpu-limits.js';
import { Ends } from '../ends.js';
import { environmentFor } from '../environment.js';
import { type Figures, readCpuNs, readFigures } from '../figures.js';
import { attend, type Started } from '../one-shot.js';
import { Place } from '../place.js';
import { cpusOf, nanoseconds } from '../plan.js';
import { type ProgramRequest, startMessage } from '../request.js';
import { Running } from '../running.js';
import type { Recipe } from './recipe.js';

/** What a program may use until it waits: a broken interpreter must not spin for ever. */
const START_CPU_MS = 30_000;
/** The kernel charges memory ahead, 256 KiB per CPU that a group runs on, so a difference of two figures may lack that. */
const CHARGED_AHEAD_BYTES = 2 * 256 * 1024;
/** What a kernel or a right that is missing comes back as. */
const CANNOT_HOLD: readonly string[] = ['EPERM', 'ENOSYS', 'EINVAL', 'ENODEV', 'EOPNOTSUPP'];

/** This machine cannot hold programs at all; the message says why. Never reaches a caller. */
export class CannotHoldError extends Error {}

/** What a waiting program is given. */
export interface Handed {
  bytes: Uint8Array;
  limits: ResolvedLimits;
  options: OneShotOptions;
}

export interface WaitingOptions {
  core: EngineCore;
  gate: Gate;
  recipe: Recipe;
  /** Files that are there until it waits. */
  prelude: Readonly<Record<string, string>>;
  /** Bound of its memory until it is handed over. */
  memoryBytes: number;
  startMs: number;
  /** It ended while it waited. */
  onLost: (waiting: Waiting) => void;
}

export class Waiting {
  readonly recipe: Recipe;
  /** What it holds, in bytes; 0 until it waits. */
  memoryBytes = 0;
  /** It hangs at its entry file and nobody has it. */
  waits = false;
  readonly #options: WaitingOptions;
  #place: Place | null = null;
  #programId = 0;
  #gateId = -1;
  /** Our ends of its three pipes. */
  #pipes: number[] | null = null;
  #base: Figures | null = null;
  /** Highest use on the way to its entry file: a request with less would not have come so far. */
  #startPeak = { memoryBytes: 0, tasks: 0 };
  #opening: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  #over = false;

  constructor(options: WaitingOptions) {
    this.#options = options;
    this.recipe = options.recipe;
  }

  /** Resolves when it waits; rejects when it never will. */
  async begin(): Promise<void> {
    const { core, startMs } = this.#options;
    const timer = setTimeout(
      () => this.#lose(lostError(`A program started ahead (${startMs} ms)`)),
      startMs,
    ).unref();
    try {
      const taken = Place.take(core, this.recipe.shape);
      this.#place = taken instanceof Promise ? await taken : taken;
      if (this.#over) throw new ClosedError('The standby');
      await this.#start(this.#place);
      this.#measure();
      // What the next request will most likely need: then it finds it there.
      if (this.fits(this.recipe.limits)) this.#writeBounds(this.recipe.limits);
      this.waits = true;
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

  /** Limits and meters begin, then the program finds its entry file. `null`: it was gone before that. */
  handOver({ bytes, limits, options }: Handed): Started | null {
    this.waits = false;
    const place = this.#place!;
    const { core, slot } = place;
    const base = { ...this.#base!, cpuNs: readCpuNs(slot.group) };
    try {
      writeCpuShare(core, slot, limits);
      this.#writeBounds(limits);
    } catch {
      return this.#lose(lostError('A waiting program')); // an ordinary start says what is wrong
    }
    const told = place.handOver({
      programId: this.#programId,
      cpuLimitNs: nanoseconds(limits.cpuTimeMs),
      wallLimitNs: nanoseconds(limits.wallTimeMs),
      memoryLimitBytes: limits.memoryBytes ?? 0,
      cpuCount: cpusOf(limits, core.machineCpus),
      cpuBaseNs: base.cpuNs,
    });
    if (!told || !this.#letGo(bytes)) return this.#lose(lostError('A waiting program'));
    const { file, args } = this.recipe;
    const waited = { id: this.#programId, pipes: this.#pipes!, base };
    const running = Running.takeOver(place, {
      file,
      args,
      options,
      limits,
      oneShot: true,
      notify: true,
      waited,
    });
    this.#pipes = null;
    this.#over = true;
    return attend(place, running, options);
  }

  /** Ends it, unless it has become somebody's. */
  close(): void {
    this.#over = true;
    this.waits = false;
    this.#place?.close();
    if (this.#pipes !== null) this.#options.core.native.closeFds(this.#pipes);
    this.#pipes = null;
    if (this.#gateId >= 0) this.#options.gate.drop(this.#gateId);
    this.#gateId = -1;
    this.#opening?.reject(new ClosedError('The standby'));
  }

  async #start(place: Place): Promise<void> {
    const { entry, files } = this.recipe;
    const { folder } = place;
    const work = folder.trees[0]!.fd;
    await copyIn(folder, { ...files, ...this.#options.prelude });
    folder.checkOpen();
    const opened = new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject };
    });
    opened.catch(() => undefined); // told below, unless something else fails first
    this.#gateId = this.#options.gate.hold(work, entry, folder.owner, () => this.#opening?.resolve());
    if (this.#gateId < 0) throw holdError(entry, -this.#gateId);
    this.#launch(place);
    await opened;
    this.#opening = null;
    for (const name of Object.keys(this.#options.prelude)) {
      folder.checkOpen();
      await folder.native.removeTree({ dir: work, name, owner: folder.owner });
    }
    folder.checkOpen();
  }

  #launch(place: Place): void {
    const { file, args, limits, options } = this.recipe;
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
      ahead: true,
    };
    const environment = environmentFor(request.options, undefined, place.core.toolchainPath);
    const attempt = attemptOf(request, environment, place.core);
    this.#programId = place.nextProgramId();
    this.#base = readFigures(place.slot.group);
    const listener = {
      onStarted: () => undefined,
      onEnded: () => this.#lose(lostError(`${file}, started ahead,`)),
      onFailed: (failed: Parameters<typeof startError>[0]) => this.#lose(startError(failed, attempt)),
      onLost: (error: SbxError) => this.#lose(error),
    };
    const ends = new Ends(place.core.native);
    this.#pipes = [];
    try {
      for (const target of [0, 1, 2]) this.#pipes.push(ends.pipe(target, target !== 0));
      const parts = {
        id: this.#programId,
        wiring: { ...ends.rows(false), contents: [], outputRows: [], outputPaths: [], terminal: null },
        joins: [],
        env: environment,
        paths: attempt.paths,
        group: place.slot.group,
      };
      place.start(startMessage(place, request, parts), listener);
    } finally {
      ends.close();
    }
  }

  #writeBounds(limits: ResolvedLimits): void {
    writeBounds(this.#place!.slot, limits, this.#base?.chargedBytes ?? 0);
  }

  #measure(): void {
    const { slot } = this.#place!;
    const now = readFigures(slot.group);
    this.memoryBytes = now.memoryBytes ?? 0;
    this.#startPeak = {
      memoryBytes:
        Math.max(0, (now.memoryPeakBytes ?? 0) - (this.#base?.chargedBytes ?? 0)) + CHARGED_AHEAD_BYTES,
      tasks: now.tasks === null ? 0 : now.tasks - slot.helperTasks,
    };
  }

  /** False when nobody waits any more. */
  #letGo(bytes: Uint8Array): boolean {
    const opened = this.#options.gate.open(this.#gateId, bytes);
    if (opened === ENOENT) return false;
    if (opened < 0) {
      this.close();
      const path = this.recipe.entry;
      throw new FileAccessError({ operation: 'copy-in', path, errno: -opened });
    }
    this.#gateId = -1;
    return true;
  }

  #lose(error: SbxError): null {
    if (this.#over) return null;
    const waited = this.waits;
    this.#opening?.reject(error);
    this.close();
    if (waited) this.#options.onLost(this);
    return null;
  }
}

function holdError(path: string, errno: number): Error {
  if (CANNOT_HOLD.includes(errnoName(errno))) return new CannotHoldError(gateReason(errno));
  return new FileAccessError({ operation: 'copy-in', path, errno });
}
