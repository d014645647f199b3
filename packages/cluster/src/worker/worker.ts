/** A worker: pulls jobs as it has places, runs them on this machine's engine, and says what it can do. */
import { randomUUID } from 'node:crypto';
import { hostname, tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { createRegistry, type LanguageReport, TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import { machineMemoryBytes, makeMemoryFolder } from '@sbx/serving';
import { systemClock } from '../clock.js';
import { FileCache } from '../contents/file-cache.js';
import type { ClusterDeniedError } from '../errors.js';
import { pageOf } from '../metrics/page.js';
import { subjects } from '../names.js';
import { NatsBlobStore } from '../nats/blob-store.js';
import { type Broker, openBroker } from '../nats/connection.js';
import { openPresence, type Presence } from '../nats/presence.js';
import { workerLink } from '../nats/worker-link.js';
import { tracedAttempt } from '../tracing/attempt-span.js';
import type { WorkerDescription } from '../wire/announcement.js';
import { WorkerSlots } from '../work/worker-slots.js';
import { Executor } from './execute.js';
import { workerFamilies } from './figures.js';
import { brokenLog, logCopies, logDenials, logFailure, logLogins } from './logs.js';
import {
  parseWorkerOptions,
  type ResolvedWorkerOptions,
  type WorkerLogger,
  type WorkerOptions,
} from './options.js';
import type { SessionWire } from './session.js';

/** Extensions of a lease in its time. */
const EXTENSIONS = 10 / 3;
/** Until a worker that ends waits for its broker no more. */
const LEAVE_MS = 3000;
const SILENT: WorkerLogger = { debug() {}, info() {}, warn() {}, error() {} };

/** An open worker; see `startWorker`. */
export interface Worker extends AsyncDisposable {
  /** Its name in the cluster, new with each start. */
  readonly name: string;
  /** What it says of itself now. */
  describe(): WorkerDescription;
  /**
   * Whether it takes jobs: it is connected to the broker, does not end, and could carry out the last ones;
   * for readiness probes.
   */
  readonly isReady: boolean;
  /** Why it takes no jobs, as a sentence; `null` while it does. */
  readonly notReadyReason: string | null;
  /** Its figures for Prometheus, in the text format; `sbx worker --metrics` serves them. */
  metrics(): string;
  /** Takes no more jobs, and resolves when those that it has are over. */
  drain(): Promise<void>;
  /**
   * As `drain` for at most `drainMs` (default 0), then gives up what still runs, and results that the broker
   * does not take, for other workers to do. Safe to call twice.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Opens an engine and takes jobs of the cluster until it is closed. Throws as `Engine.open` does, and
 * `ClusterUnavailableError` or `ClusterDeniedError`.
 *
 * @example
 * ```ts
 * await using worker = await startWorker({ servers: 'nats://127.0.0.1:4222', slots: 4 });
 * ```
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const resolved = parseWorkerOptions(options);
  const name = `w-${randomUUID()}`;
  const broker = await openBroker(resolved, `sbx worker ${name}`);
  let engine = resolved.engine;
  try {
    engine ??= await openEngine(resolved);
    const languages = await probe(engine, resolved.languages);
    const folder = await makeMemoryFolder('cluster', resolved.cacheFolder ?? tmpdir());
    const worker = new OpenWorker({ options: resolved, name, broker, engine, languages, folder });
    const denied = await deniedSoFar(broker);
    if (denied === null) return worker;
    await worker.close();
    throw denied;
  } catch (error) {
    await broker.connection.close();
    if (resolved.engine === undefined) await engine?.close();
    throw error;
  }
}

/** What a worker does at its start the broker has allowed or denied when it answers. */
async function deniedSoFar({ connection, denials }: Broker): Promise<ClusterDeniedError | null> {
  await connection.flush();
  await setImmediate(); // it is told through an iterator
  return denials.first;
}

/** As that of `sbx serve fathom`, whose programs may come here. */
function openEngine({ slots, ceilings, require }: ResolvedWorkerOptions): Promise<Engine> {
  const mounts = [...DEFAULT_MOUNTS, ...TOLD_MEMORY_MOUNTS];
  return Engine.open({ parallelism: slots, ceilings, mounts, ...(require === undefined ? {} : { require }) });
}

interface WorkerParts {
  options: ResolvedWorkerOptions;
  name: string;
  broker: Broker;
  engine: Engine;
  languages: readonly LanguageReport[];
  folder: string;
}

class OpenWorker implements Worker {
  readonly name: string;
  readonly #parts: WorkerParts;
  readonly #cache: FileCache;
  readonly #executor: Executor;
  readonly #link: ReturnType<typeof workerLink>;
  readonly #slots: WorkerSlots;
  readonly #presence: Presence;
  #isDraining = false;
  #closed: Promise<void> | null = null;

  constructor(parts: WorkerParts) {
    const { options, broker, engine, folder, name } = parts;
    const { logger = SILENT, inputBytesMax, outputBytesMax, slots } = options;
    this.#parts = parts;
    this.name = name;
    const store = new NatsBlobStore(broker);
    this.#cache = new FileCache(store, folder, options.cacheBytes);
    this.#executor = new Executor({
      engine,
      store,
      cache: this.#cache,
      clock: systemClock,
      inputBytesMax,
      outputBytesMax,
      openSession: (tenant, session) => sessionWire(broker, tenant, session),
      onFailure: (error) => logFailure(error, logger),
    });
    this.#link = workerLink(broker, { name, onBroken: brokenLog(logger, systemClock) });
    this.#slots = new WorkerSlots(this.#link, systemClock, {
      name,
      slots,
      extendMs: broker.leaseMs / EXTENSIONS,
      execute: (delivery, signal) =>
        tracedAttempt(delivery, name, () => this.#executor.execute(delivery, signal)),
    });
    logCopies(broker, { replicas: options.replicas, logger });
    logDenials(broker, logger);
    logLogins(broker, logger);
    this.#presence = openPresence(broker, () => this.describe());
    logger.info({ worker: name, slots, languages: parts.languages.map(({ name }) => name) }, 'worker ready');
  }

  describe(): WorkerDescription {
    const { options, engine, languages, name } = this.#parts;
    const { bytes, totals } = this.#cache;
    return {
      version: 1,
      name,
      host: hostname(),
      pid: process.pid,
      slots: options.slots,
      running: this.#slots.running,
      isDraining: this.#isDraining,
      memoryBytes: machineMemoryBytes(),
      languages: languages.map(({ name, version }) => ({ name, version })),
      labels: options.labels,
      info: engine.info(),
      totals: { ...this.#slots.totals },
      cache: { bytes, ...totals },
    };
  }

  get isReady(): boolean {
    return this.notReadyReason === null;
  }

  get notReadyReason(): string | null {
    const { broker, engine } = this.#parts;
    const { isConnected, refusal } = broker.health;
    if (this.#isDraining) return 'It drains.';
    if (refusal !== null) return `The broker refuses its login: ${refusal}.`;
    if (!isConnected) return 'The broker is away.';
    if (this.#slots.isPaused) return 'It could not carry out its last jobs, and waits until it tries again.';
    return engine.isReady ? null : 'Its engine is not ready.';
  }

  metrics(): string {
    const { engine, broker } = this.#parts;
    return pageOf(
      workerFamilies({
        description: this.describe(),
        figures: this.#slots.figures,
        isPaused: this.#slots.isPaused,
        fetchedBytes: this.#cache.fetchedBytes,
        counters: engine.counters(),
        health: broker.health,
      }),
    );
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#presence.announce(); // submitters count its places no more
    await this.#slots.drain();
    await this.#presence.withdraw();
  }

  close(drainMs = 0): Promise<void> {
    this.#closed ??= this.#close(drainMs);
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(drainMs: number): Promise<void> {
    const { broker, engine, options } = this.#parts;
    const drained = this.drain();
    if (drainMs > 0) await within(drainMs, drained);
    this.#slots.stop();
    this.#executor.close();
    await within(LEAVE_MS, drained); // where the broker is gone, leases end by themselves
    this.#link.flush();
    await within(LEAVE_MS, broker.connection.flush());
    await broker.connection.close();
    if (options.engine === undefined) await engine.close();
    await this.#cache.close();
  }
}

/** Resolves when the work is over, however it ends, or after that time. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Those that are installed, of the wanted ones. */
async function probe(engine: Engine, names: readonly string[] | undefined): Promise<LanguageReport[]> {
  const reports = await createRegistry().probe(engine, names === undefined ? {} : { languages: names });
  return reports.filter(({ available }) => available);
}

function sessionWire({ connection }: Broker, tenant: string, session: string): SessionWire {
  const up = subjects.up(tenant, session);
  return {
    send(data) {
      if (!connection.isClosed()) connection.publish(up, data);
    },
    onFrame(take) {
      const subscription = connection.subscribe(subjects.down(tenant, session), {
        callback(error, message) {
          if (error === null) take(message.data);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
