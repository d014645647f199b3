/** Calls to jobs and jobs to results: what all calls of a cluster's engine share. */
import { randomUUID } from 'node:crypto';
import {
  type EachGroupRequest,
  type EachGroupResult,
  type GroupRequest,
  type GroupResult,
  InvalidOptionsError,
  type RunnerOptions,
  type RunResult,
  SbxError,
} from '@sbx/core';
import { type BlobStore, jobStore } from '../contents/store.js';
import { ContentWriter } from '../contents/writer.js';
import { JobDeadlineError } from '../errors.js';
import type { Submitter } from '../submit/submitter.js';
import type { JobTicket } from '../submit/ticket.js';
import { JobSpan } from '../tracing/job-span.js';
import type { TraceHeaders } from '../tracing/trace-context.js';
import { sha256Of } from '../wire/blob.js';
import { BrokenMessageError, decodeEnvelope, encodeEnvelope } from '../wire/envelope.js';
import { errorFrom } from '../wire/error.js';
import { OUTCOME, type WireOutcome } from '../wire/outcome.js';
import type { JobRecord } from '../wire/record.js';
import { REQUEST, type WireRequest } from '../wire/request.js';
import { checkOutcome } from './result-bounds.js';
import { dropResult, outputFrom, type ResultSource, resultFrom } from './results.js';

/**
 * Of a job with all that lies in it; what is larger belongs into the store, and arguments cannot go there.
 */
export const MESSAGE_BYTES_MAX = 900 * 1024;
/** Of a result that is there: at least so long its files may be on their way. */
const FILES_MS = 60_000;

export interface JobSettings {
  id?: string | undefined;
  tenant: string;
  priority?: number | undefined;
  maxAttempts: number;
  deadlineMs: number;
  orphanGraceMs: number;
}

export interface JobCall {
  settings: JobSettings;
  /** Makes the request; contents go through the writer. */
  pack(writer: ContentWriter): Promise<WireRequest>;
  signal?: AbortSignal | undefined;
  onAbort?: 'reject' | 'resolve' | undefined;
  /** How the caller calls what it gave, for messages. */
  field: string;
}

export interface JobsOptions {
  /** Of all contents of one result. */
  resultBytesMax: number;
}

export class Jobs {
  readonly #store: BlobStore;
  readonly #submitter: Submitter;
  readonly #options: JobsOptions;

  constructor(submitter: Submitter, store: BlobStore, options: JobsOptions) {
    this.#submitter = submitter;
    this.#store = store;
    this.#options = options;
  }

  /** Resolves when the job is in the queue of this process. Throws what was wrong with the call. */
  async submit(call: JobCall): Promise<JobTicket> {
    const { tenant, id = randomUUID() } = call.settings;
    const span = JobSpan.start(tenant, id);
    try {
      const ticket = await this.#submit(call, id, span?.headers ?? null);
      span?.follow(ticket.record);
      return ticket;
    } catch (error) {
      span?.fail(error);
      throw error;
    }
  }

  async #submit(call: JobCall, id: string, trace: TraceHeaders | null): Promise<JobTicket> {
    const { settings, signal } = call;
    signal?.throwIfAborted();
    const calledAt = performance.now();
    const until = calledAt + settings.deadlineMs;
    const isOver = () => signal?.aborted === true || performance.now() > until;
    const writer = new ContentWriter(jobStore(this.#store, settings.tenant, isOver));
    const request = await call.pack(writer).catch((error) => {
      signal?.throwIfAborted();
      throw isOver() ? new JobDeadlineError(settings.deadlineMs, 'not sent yet', error) : error;
    });
    const body = encodeEnvelope(checked(request, call.field), writer.chunks);
    if (body.byteLength > MESSAGE_BYTES_MAX) throw tooLarge(call.field, body.byteLength);
    signal?.throwIfAborted();
    const job = {
      id,
      tenant: settings.tenant,
      priority: settings.priority ?? 0,
      maxAttempts: settings.maxAttempts,
      deadlineMs: settings.deadlineMs,
      orphanGraceMs: settings.orphanGraceMs,
      trace,
      bodyHash: sha256Of(body),
      body,
    };
    const ticket = this.#submitter.submit(job, performance.now() - calledAt);
    this.#attach(ticket, call);
    return ticket;
  }

  runResult(ticket: JobTicket, options: RunnerOptions): Promise<RunResult> {
    return this.#runResult(ticket, options).catch(failUnread);
  }

  groupResult(
    ticket: JobTicket,
    request: GroupRequest | EachGroupRequest,
  ): Promise<GroupResult | EachGroupResult> {
    return this.#groupResult(ticket, request).catch(failUnread);
  }

  async #runResult(ticket: JobTicket, options: RunnerOptions): Promise<RunResult> {
    const { outcome, bytes } = outcomeOf(await ticket.record, this.#options.resultBytesMax);
    if (outcome.kind !== 'run') throw wrongOutcome();
    return resultFrom(outcome.result, this.#source(ticket, bytes), options);
  }

  async #groupResult(
    ticket: JobTicket,
    { programs, pipes = [], settle = 'all' }: GroupRequest | EachGroupRequest,
  ): Promise<GroupResult | EachGroupResult> {
    const { outcome, bytes } = outcomeOf(await ticket.record, this.#options.resultBytesMax);
    if (outcome.kind !== 'group' || outcome.results.length !== programs.length) throw wrongOutcome();
    const { recordings: recorded, errors: told } = outcome;
    const isWhole = told.length === (settle === 'each' ? programs.length : 0);
    if (!isWhole || recorded.length !== pipes.length) throw wrongOutcome();
    if (settle === 'all' && outcome.results.includes(null)) throw wrongOutcome();
    const source = this.#source(ticket, bytes);
    const results: (RunResult | null)[] = [];
    try {
      for (const [index, wire] of outcome.results.entries()) {
        results.push(wire === null ? null : await resultFrom(wire, source, programs[index] ?? {}));
      }
      const recordings = await Promise.all(
        recorded.map((each) => (each === null ? null : outputFrom(each, source))),
      );
      const errors = told.map((error) => (error === null ? null : errorFrom(error)));
      return settle === 'each'
        ? { results, errors, recordings }
        : { results: results as RunResult[], recordings };
    } catch (error) {
      for (const result of results) dropResult(result);
      throw error;
    }
  }

  /** Its files are waited for as the result itself was, and have their time where that came late. */
  #source({ submittedAt, job }: JobTicket, bytes: Uint8Array): ResultSource {
    const until = Math.max(submittedAt + job.deadlineMs, performance.now() + FILES_MS);
    return { bytes, store: jobStore(this.#store, job.tenant, () => performance.now() > until) };
  }

  #attach(ticket: JobTicket, { signal, onAbort }: JobCall): void {
    if (signal === undefined) return;
    const end = () => {
      if (onAbort === 'resolve') void this.#submitter.stop(ticket, signal.reason);
      else void this.#submitter.cancel(ticket, signal.reason);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    const release = () => signal.removeEventListener('abort', end);
    ticket.record.then(release, release);
  }
}

/** The same schema that the worker checks it with: what is wrong is told before anything is sent. */
function checked(request: WireRequest, field: string): WireRequest {
  const parsed = REQUEST.safeParse(request);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const path = issue.path
    .filter((part, index) => !(index === 0 && part === 'program'))
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  const expected = `is not what a worker takes: ${issue.message.slice(0, 200)}`;
  throw new InvalidOptionsError({ field: field + path, rule: 'format', expected });
}

/** Throws the error that the job ended with. */
function outcomeOf(
  { outcome: message }: JobRecord,
  bytesMax: number,
): { outcome: WireOutcome; bytes: Uint8Array } {
  const { header, bytes } = decodeEnvelope(message);
  const parsed = OUTCOME.safeParse(header);
  if (!parsed.success) throw wrongOutcome();
  if (parsed.data.kind === 'error') throw errorFrom(parsed.data.error);
  checkOutcome(parsed.data, bytesMax);
  return { outcome: parsed.data, bytes };
}

/** A content of the result, or the whole of it, is not what the worker says. */
function failUnread(error: unknown): never {
  if (!(error instanceof BrokenMessageError)) throw error;
  const message = `The result of the job cannot be read (${error.message}): its worker may be of another version. Update the older one of both.`;
  throw new SbxError({ code: 'SBX_INTERNAL', message, cause: error });
}

function wrongOutcome(): SbxError {
  const message =
    'The worker sent a result of another form: it may be of another version. Update the older one of both.';
  return new SbxError({ code: 'SBX_INTERNAL', message });
}

function tooLarge(field: string, bytes: number): InvalidOptionsError {
  const expected = `must fit a message of ${MESSAGE_BYTES_MAX} bytes to a worker: contents do not count, arguments, environment and names do`;
  return new InvalidOptionsError({ field, rule: 'size', expected, got: `${bytes} bytes` });
}
