/** The engine's calls, done by the workers of a cluster. */
import { randomUUID } from 'node:crypto';
import {
  ClosedError,
  type EachGroupRequest,
  type EachGroupResult,
  type EngineCounters,
  type EngineInfo,
  type GroupRequest,
  type GroupResult,
  optionRules,
  type Runner,
  type RunnerOptions,
  type RunnerProcess,
  type RunnerQueue,
  type RunResult,
  STATUSES,
  type Status,
} from '@sbx/core';
import { systemClock } from '../clock.js';
import { pageOf } from '../metrics/page.js';
import { subjects } from '../names.js';
import { NatsBlobStore } from '../nats/blob-store.js';
import { type Broker, openBroker, unavailable } from '../nats/connection.js';
import { WorkerList } from '../nats/presence.js';
import { queueOf } from '../nats/queue.js';
import { submitterLink } from '../nats/submitter-link.js';
import { Channel } from '../session/channel.js';
import { Submitter } from '../submit/submitter.js';
import type { JobTicket } from '../submit/ticket.js';
import type { WorkerDescription } from '../wire/announcement.js';
import { clusterFamilies } from './figures.js';
import { clusterInfo } from './info.js';
import { type ClusterJob, type ClusterTicket, settingsOf } from './job.js';
import { type JobSettings, Jobs } from './jobs.js';
import { type ClusterOptions, parseClusterOptions, type ResolvedClusterOptions } from './options.js';
import { packProgram } from './pack.js';
import { RemoteProcess } from './remote-process.js';

/** Jobs at the broker for each place of a worker, and at least so many. */
const AHEAD = 2;
const AHEAD_MIN = 8;

/**
 * Runs programs on the workers of a cluster, with the calls of `Engine` that can travel. docs/cluster.md says
 * what holds when machines and connections fail.
 * @example
 * ```ts
 * await using engine = await ClusterEngine.open({ servers: 'nats://127.0.0.1:4222' });
 * const result = await engine.run('/bin/echo', ['hello']);
 * ```
 */
export class ClusterEngine implements Runner {
  readonly #options: ResolvedClusterOptions;
  readonly #broker: Broker;
  readonly #workers: WorkerList;
  readonly #submitter: Submitter;
  readonly #jobs: Jobs;
  readonly #byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  #finishedTotal = 0;
  #closed: Promise<void> | null = null;

  /**
   * Connects, and makes queue and buckets where they are missing. Throws `InvalidOptionsError`,
   * `ClusterDeniedError` or `ClusterUnavailableError`. Needs no worker: jobs wait for one.
   */
  static async open(options: ClusterOptions): Promise<ClusterEngine> {
    const resolved = parseClusterOptions(options);
    const name = `s-${randomUUID()}`;
    const broker = await openBroker(resolved, `sbx submitter ${name}`);
    let pump: () => void = () => undefined;
    const workers = await WorkerList.open(broker, () => pump()).catch(async (error) => {
      await broker.connection.close();
      throw unavailable(error);
    });
    const engine = new ClusterEngine(resolved, broker, workers, name);
    pump = () => engine.#submitter.pump();
    return engine;
  }

  private constructor(options: ResolvedClusterOptions, broker: Broker, workers: WorkerList, name: string) {
    this.#options = options;
    this.#broker = broker;
    this.#workers = workers;
    const link = submitterLink(broker, name);
    const { queueLength, queueLengthPerTenant = queueLength, weights, resultBytesMax } = options;
    const shares = new Map(Object.entries(weights));
    this.#submitter = new Submitter(link, systemClock, {
      name,
      queueLength,
      queueLengthPerTenant,
      windowOf: () => Math.max(AHEAD_MIN, AHEAD * this.#slots),
      weightOf: (tenant) => shares.get(tenant) ?? 1,
    });
    this.#jobs = new Jobs(this.#submitter, new NatsBlobStore(broker), { resultBytesMax });
  }

  /** Whether a worker is there. */
  get isReady(): boolean {
    return this.#closed === null && this.#slots > 0;
  }

  /** What holds on every worker; with none there, that nothing does. */
  info(): EngineInfo {
    return clusterInfo(this.#workers.all(), this.#options.queueLength);
  }

  /** Of this process: `waiting` are jobs without a worker, `running` those that one has or is being sent. */
  counters(): EngineCounters {
    const { waiting, published } = this.#submitter.load;
    const { submitted, refused } = this.#submitter.totals;
    return {
      running: published,
      waiting,
      ready: 0,
      sandboxes: published,
      startedTotal: submitted,
      finishedTotal: this.#finishedTotal,
      refusedTotal: refused,
      helperRestartsTotal: 0,
      byStatus: { ...this.#byStatus },
    };
  }

  /** Figures of this process's jobs and of the workers for Prometheus, in the text format. */
  metrics(): string {
    return pageOf(
      clusterFamilies({
        submitter: this.#submitter,
        workers: this.#workers.all(),
        byStatus: this.#byStatus,
        health: this.#broker.health,
      }),
    );
  }

  /** Those that announced themselves in the last 15 s, by host and name. */
  workers(): WorkerDescription[] {
    return this.#workers.all();
  }

  /** The queue at the broker, with the jobs of all submitters. Rejects when the broker does not answer. */
  queue(): Promise<RunnerQueue> {
    return queueOf(this.#broker);
  }

  /** Jobs of this process that a second worker began, or a third, since the opening. */
  get secondAttempts(): number {
    return this.#submitter.totals.secondAttempts;
  }

  /** As `Engine.run`. Besides: `WorkerLostError`, `ClusterUnavailableError`, `JobDeadlineError`. */
  async run(file: string, args?: readonly string[], options: RunnerOptions = {}): Promise<RunResult> {
    optionRules.validateOneShot(file, args, options);
    const ticket = await this.#submit(this.#settings(), { file, args, options });
    return this.#count(await this.#jobs.runResult(ticket, options));
  }

  /** A job under an id of yours: sent twice, also by two processes, it is done once. */
  async submit(job: ClusterJob): Promise<ClusterTicket> {
    const settings = settingsOf(job, this.#settings());
    const { file, args, options = {} } = job.request;
    optionRules.validateOneShot(file, args, options, 'job.request.');
    const ticket = await this.#submit(settings, { file, args, options });
    const result = this.#jobs.runResult(ticket, options).then((each) => this.#count(each));
    result.catch(() => undefined); // told to whoever awaits it
    const cancel = (reason: unknown = new Error('The job was cancelled.')) =>
      this.#submitter.cancel(ticket, reason);
    return {
      id: settings.id,
      result,
      get state() {
        return ticket.state;
      },
      cancel,
    };
  }

  /** As `Engine.spawn`, with one attempt: what was written has been seen. `Process` by its members only. */
  async spawn(file: string, args?: readonly string[], options: RunnerOptions = {}): Promise<RunnerProcess> {
    optionRules.validateOneShotSpawn(file, args, options);
    const session = randomUUID();
    const { tenant } = this.#options;
    const { connection } = this.#broker;
    const down = subjects.down(tenant, session);
    let process: RemoteProcess | null = null;
    const channel: Channel = new Channel(systemClock, {
      send: (data) => connection.isClosed() || connection.publish(down, data),
      take: (message, bytes) => process?.take(message, bytes),
      onLost: () => process?.lose(),
    });
    const subscription = connection.subscribe(subjects.up(tenant, session), {
      callback(error, message) {
        if (error === null) channel.receive(message.data);
      },
    });
    const letGo = () => subscription.unsubscribe();
    try {
      const settings = { ...this.#settings(), maxAttempts: 1 };
      const ticket = await this.#submit(settings, { file, args, options }, session);
      const result = this.#jobs.runResult(ticket, options).then((each) => this.#count(each));
      process = new RemoteProcess({ channel, options, result });
      channel.onClose = letGo;
      await Promise.race([process.started, result]);
      return process;
    } catch (error) {
      letGo();
      channel.close();
      throw error;
    }
  }

  /** As `Engine.runGroup`; the whole group is one job, of one worker. */
  runGroup(request: EachGroupRequest): Promise<EachGroupResult>;
  runGroup(request: GroupRequest): Promise<GroupResult>;
  async runGroup(request: GroupRequest | EachGroupRequest): Promise<GroupResult | EachGroupResult> {
    optionRules.validateGroup(request);
    const { programs, pipes = [], settle = 'all', signal, onAbort } = request;
    this.#checkOpen();
    const ticket = await this.#jobs.submit({
      settings: this.#settings(),
      signal,
      onAbort,
      field: 'request',
      pack: async (writer) => {
        const packed = [];
        for (const [index, program] of programs.entries()) {
          if (program === null) {
            packed.push(null);
            continue;
          }
          const { file, args, ...options } = program;
          packed.push(await packProgram(writer, { file, args, options }, `request.programs[${index}]`));
        }
        return { kind: 'group', programs: packed, pipes: [...pipes], settle };
      },
    });
    const group = await this.#jobs.groupResult(ticket, request);
    for (const result of group.results) if (result !== null) this.#count(result);
    return group;
  }

  /** Cancels what is not over; workers go on with other jobs. Safe to call twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #slots(): number {
    return this.#workers.places;
  }

  #settings(): JobSettings {
    const { tenant, maxAttempts, deadlineMs, orphanGraceMs } = this.#options;
    return { tenant, maxAttempts, deadlineMs, orphanGraceMs };
  }

  #submit(
    settings: JobSettings,
    { file, args, options }: { file: string; args?: readonly string[] | undefined; options: RunnerOptions },
    session?: string,
  ): Promise<JobTicket> {
    this.#checkOpen();
    return this.#jobs.submit({
      settings,
      signal: options.signal,
      onAbort: options.onAbort,
      field: 'options',
      pack: async (writer) => {
        const program = await packProgram(writer, { file, args, options }, 'options');
        return session === undefined ? { kind: 'run', program } : { kind: 'spawn', program, session };
      },
    });
  }

  #checkOpen(): void {
    if (this.#closed !== null) throw new ClosedError('The engine of the cluster');
  }

  #count(result: RunResult): RunResult {
    this.#finishedTotal += 1;
    this.#byStatus[result.status] += 1;
    return result;
  }

  async #close(): Promise<void> {
    await this.#submitter.close(new ClosedError('The engine of the cluster'));
    this.#workers.close();
    await this.#broker.connection.flush().catch(() => undefined); // the broker is gone: records say the rest
    await this.#broker.connection.close();
  }
}
