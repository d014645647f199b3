/**
 * The program as the protocol sees it: figures that never go down, a state, and an end that is brought about.
 */
import { constants } from 'node:os';
import type { FifoReading } from '../reply.js';
import { describeState, type ProcessState, STATUS_REMARKS } from '../state.js';
import { KILL_WAIT_MS } from './options.js';
import type { ManagedProgram, ProgramEnd, ProgramStart, StartContext } from './types.js';
import { within } from './within.js';

/** Signals by which the kernel tells of limits, and any program of itself. */
const RAISABLE: ReadonlySet<string> = new Set(['SIGXCPU', 'SIGXFSZ', 'SIGSYS']);

export class Watch {
  #program: ManagedProgram | null = null;
  #state: ProcessState = { kind: 'starting' };
  #remarks: readonly string[] = [];
  #cpuTimeUs = 0;
  #isKilledByUs = false;
  readonly #abort = new AbortController();
  #markEnded: () => void = () => undefined;
  #markStarted: () => void = () => undefined;
  readonly #started: Promise<void> = new Promise((resolve) => {
    this.#markStarted = resolve;
  });
  /** It is over, one way or the other. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#markEnded = resolve;
  });

  get program(): ManagedProgram | null {
    return this.#program;
  }

  get isOver(): boolean {
    return this.#state.kind !== 'starting' && this.#state.kind !== 'running';
  }

  /** Resolves when it has started or has failed to; never rejects. */
  async start(start: ProgramStart, atEnd: StartContext['atEnd']): Promise<void> {
    try {
      const program = await start({ signal: this.#abort.signal, atEnd });
      if (this.isOver) return letGo(program); // the last call was faster
      this.#program = program;
      this.#state = { kind: 'running' };
      this.#markStarted();
      program.result.then(
        (end) => this.#end(stateOf(end, this.#isKilledByUs), remarksOf(end), end.usage.cpuTimeMs),
        (error) => this.#end({ kind: 'lost' }, [messageOf(error)]),
      );
    } catch (error) {
      this.#end({ kind: 'not-started' }, [messageOf(error)]);
    }
  }

  reading(complaints: readonly string[] = []): FifoReading {
    const memoryBytes = this.#state.kind === 'running' ? this.#measure() : 0;
    const unmeasured = memoryBytes === null ? ['memory not measured'] : [];
    const status = describeState(this.#state, [...this.#remarks, ...unmeasured, ...complaints]);
    return { cpuTimeUs: this.#cpuTimeUs, memoryBytes: memoryBytes ?? 0, status };
  }

  /** Leaves it the grace to go by itself, then kills it and waits until it is gone. */
  async finish(graceMs: number): Promise<void> {
    if (this.isOver) return;
    if (this.#program === null) await within(graceMs, Promise.race([this.#started, this.ended]));
    if (this.#program === null) {
      if (this.isOver) return;
      this.#abort.abort();
      return this.#end({ kind: 'not-started' }, ['ended before the start']);
    }
    await within(graceMs, this.ended);
    if (this.isOver) return;
    this.#isKilledByUs = true;
    this.#program.kill('SIGKILL');
    await within(KILL_WAIT_MS, this.ended);
    if (!this.isOver) this.#end({ kind: 'forced' }, ['its end has not been reported']);
  }

  #measure(): number | null {
    try {
      const { cpuTimeMs, memoryBytes } = this.#program!.usage();
      this.#count(cpuTimeMs);
      return memoryBytes === null ? null : Math.round(memoryBytes);
    } catch {
      return null; // whatever goes wrong, a request is answered
    }
  }

  #count(cpuTimeMs: number): void {
    this.#cpuTimeUs = Math.max(this.#cpuTimeUs, Math.floor(cpuTimeMs * 1000));
  }

  #end(state: ProcessState, remarks: readonly string[], cpuTimeMs = 0): void {
    if (this.isOver) return;
    this.#count(cpuTimeMs);
    this.#state = state;
    this.#remarks = remarks;
    this.#markEnded();
  }
}

function letGo(program: ManagedProgram): void {
  program.result.catch(() => undefined);
  program.kill('SIGKILL');
}

/** A program that left while it was being killed is reported as it left. */
function stateOf({ status, exitCode, exitSignal }: ProgramEnd, isKilledByUs: boolean): ProcessState {
  if (isKilledByUs && status === 'killed') return { kind: 'forced' };
  if (exitSignal !== null) return { kind: 'interrupted', signal: signalNumber(exitSignal) };
  return exitCode === null ? { kind: 'lost' } : { kind: 'exited', exitStatus: exitCode };
}

/**
 * A cause is told when the supervisor recorded or measured it, not when only a signal hints at it: a program
 * can raise that.
 */
function remarksOf({ status, evidence, exitSignal }: ProgramEnd): string[] {
  const isHint = evidence === undefined ? RAISABLE.has(exitSignal ?? '') : evidence.endsWith('/signal');
  const remark = STATUS_REMARKS[status];
  return remark === undefined || isHint ? [] : [remark];
}

/** Real-time signals are named by their distance from the first. */
function signalNumber(name: string): number {
  const realTime = /^SIGRTMIN(?:\+(\d+))?$/.exec(name);
  if (realTime !== null) return 34 + Number(realTime[1] ?? 0);
  return constants.signals[name as NodeJS.Signals] ?? Number(name.replace(/\D/g, ''));
}

/** Errors are sentences; a remark has no full stop. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');
}
