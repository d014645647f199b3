/**
 * One job on this machine's engine. Errors of the job are outcomes as well: only records and leases are
 * somebody else's.
 */
import { type Engine, type GroupProgram, InvalidOptionsError, type RunnerOptions, SbxError } from '@sbx/core';
import type { Clock } from '../clock.js';
import type { FileCache } from '../contents/file-cache.js';
import { type BlobStore, jobStore } from '../contents/store.js';
import { ContentWriter } from '../contents/writer.js';
import type { Delivery } from '../links.js';
import { decodeEnvelope } from '../wire/envelope.js';
import { REQUEST, type WireRequest } from '../wire/request.js';
import type { StopJob } from '../work/stop-job.js';
import { isWorkersFault, WorkerFault } from '../work/worker-fault.js';
import { checkInputs } from './input-ceiling.js';
import { errorOutcome, groupOutcome, runOutcome } from './outcome.js';
import { checkBytes, checkTogether, underCeiling } from './output-ceiling.js';
import { type SessionWire, WorkerSession } from './session.js';
import { Tails } from './tails.js';
import { Unpacker } from './unpack.js';

/**
 * Of one result; a broker takes 1 MiB unless it is told otherwise. Contents lie elsewhere, names of files in
 * it.
 */
const OUTCOME_BYTES_MAX = 960 * 1024;

export interface ExecutorParts {
  engine: Engine;
  store: BlobStore;
  cache: FileCache;
  clock: Clock;
  inputBytesMax: number;
  outputBytesMax: number;
  openSession(tenant: string, session: string): SessionWire;
  /** A job that could not be carried out through no fault of its own. */
  onFailure(error: unknown): void;
}

/**
 * What a stopped program comes to: a result where it ran, and nothing that anybody reads where it is dropped.
 */
interface Ending {
  signal: AbortSignal;
  onAbort: 'resolve';
}

export class Executor {
  readonly #parts: ExecutorParts;
  readonly #sessions = new Set<WorkerSession>();
  readonly #tails = new Tails();
  #isClosed = false;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** Rejects with a `WorkerFault`, and with nothing else. */
  async execute({ job }: Delivery, signal: AbortSignal): Promise<Uint8Array> {
    let unpacker: Unpacker | null = null;
    try {
      const { header, bytes } = decodeEnvelope(job.body);
      const request = requestOf(header);
      checkInputs(request, this.#parts.inputBytesMax); // before anything is fetched
      const isStopped = () => signal.aborted;
      unpacker = new Unpacker(bytes, (blob) => this.#parts.cache.hold(job.tenant, blob, isStopped));
      const outcome = await this.#carryOut(request, job.tenant, unpacker, signal);
      return outcome.byteLength <= OUTCOME_BYTES_MAX ? outcome : errorOutcome(tooManyFiles());
    } catch (error) {
      if (error !== signal.reason) this.#parts.onFailure(error);
      if (isWorkersFault(error)) throw new WorkerFault(errorOutcome(error), error);
      return errorOutcome(error);
    } finally {
      unpacker?.release();
    }
  }

  /** Ends sessions whose output nobody takes, and the way of results to a broker that is gone. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.close();
  }

  async #carryOut(
    request: WireRequest,
    tenant: string,
    unpacker: Unpacker,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const ending: Ending = { signal, onAbort: 'resolve' };
    const { engine } = this.#parts;
    switch (request.kind) {
      case 'run': {
        const { file, args, options } = await this.#program(request.program, unpacker);
        // Filled, not copied: on Node 20 each copy would be of a hidden class of its own.
        return runOutcome(
          await engine.run(file, args, Object.assign(options, ending)),
          this.#writer(tenant, signal),
        );
      }
      case 'spawn':
        return this.#live(request, tenant, unpacker, ending);
      case 'group': {
        const programs = await this.#group(request, unpacker);
        const { pipes, settle } = request;
        // The engine refuses a program that is null, unless each settles by itself.
        const group =
          settle === 'each'
            ? await engine.runGroup({ programs, pipes, settle, ...ending })
            : await engine.runGroup({ programs: programs as GroupProgram[], pipes, ...ending });
        return groupOutcome(group, this.#writer(tenant, signal));
      }
    }
  }

  async #live(
    { program, session: name }: Extract<WireRequest, { kind: 'spawn' }>,
    tenant: string,
    unpacker: Unpacker,
    ending: Ending,
  ): Promise<Uint8Array> {
    const { engine, clock, openSession } = this.#parts;
    const { file, args, options } = await this.#program(program, unpacker);
    const process = await engine.spawn(file, args, Object.assign(options, ending));
    const session = new WorkerSession(process, openSession(tenant, name), clock);
    this.#sessions.add(session);
    void session.done.then(() => this.#sessions.delete(session));
    const result = await process.result;
    this.#tails.add(session);
    return runOutcome(result, this.#writer(tenant, ending.signal));
  }

  /** What a stopped program leaves is sent where somebody waits for it. */
  #writer(tenant: string, signal: AbortSignal): ContentWriter {
    const isDropped = () => signal.aborted && (signal.reason as StopJob).mode !== 'result';
    const isOver = () => this.#isClosed || isDropped();
    return new ContentWriter(jobStore(this.#parts.store, tenant, isOver));
  }

  async #group(
    { programs, pipes }: Extract<WireRequest, { kind: 'group' }>,
    unpacker: Unpacker,
  ): Promise<(GroupProgram | null)[]> {
    const { outputBytesMax } = this.#parts;
    const recorded = pipes.reduce((sum, { record }) => sum + (record?.maxBytes ?? 0), 0);
    checkBytes('request.pipes', recorded, outputBytesMax);
    const started = programs.filter((each) => each !== null);
    checkTogether('request.programs', started, outputBytesMax);
    const unpacked: (GroupProgram | null)[] = [];
    for (const each of programs) {
      unpacked.push(each && (await unpacker.program(underCeiling(each, outputBytesMax, programs.length))));
    }
    return unpacked;
  }

  async #program(
    program: Extract<WireRequest, { kind: 'run' }>['program'],
    unpacker: Unpacker,
  ): Promise<{ file: string; args: readonly string[]; options: RunnerOptions }> {
    const { outputBytesMax } = this.#parts;
    const bounded = underCeiling(program, outputBytesMax, 1);
    checkTogether('options.fds', [program], outputBytesMax);
    const { file, args = [], ...options } = await unpacker.program(bounded);
    return { file, args, options };
  }
}

/** The same schema as the submitter's, which has looked: so what does not fit is of another version. */
function requestOf(header: unknown): WireRequest {
  const parsed = REQUEST.safeParse(header);
  if (parsed.success) return parsed.data;
  const message =
    'The worker cannot read the job (its request has another form): its submitter is of another version. Update the older one of both.';
  throw new SbxError({ code: 'SBX_INTERNAL', message, retryable: true });
}

function tooManyFiles(): InvalidOptionsError {
  const expected = `must name fewer files: the list of them alone takes more than ${OUTCOME_BYTES_MAX} bytes`;
  return new InvalidOptionsError({ field: 'options.copyOut', rule: 'size', expected });
}
