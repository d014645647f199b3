/** `sbx worker`: words of the command line → a worker, until a signal ends it. */
import { startWorker, type WorkerOptions } from '@sbx/cluster';
import { pino } from 'pino';
import { addressFrom, openMonitor } from '../cluster/monitor.js';
import { refuse } from '../cluster/open.js';
import { brokerOptions } from '../cluster/split.js';
import type { WorkerFlags } from '../flags.js';
import { endOfServer, watchInterrupts } from '../run/interrupts.js';
import { aborted, letSecondSignalKill } from '../serve/words.js';
import { printJson } from '../terminal.js';
import { parseCount, parseDurationMs, parseSizeBytes } from '../units.js';
import { UsageError } from '../usage-error.js';

const DRAIN_MS = 30_000;

/** Gives the exit code; throws what `reportFailure` tells. */
export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const logger = pino({ level: flags.verbose ? 'debug' : 'info', base: null }, pino.destination(2));
  const drainMs = flags.drain === undefined ? DRAIN_MS : parseDurationMs(flags.drain, '--drain');
  const address = flags.metrics === undefined ? null : addressFrom(flags.metrics);
  const interrupts = watchInterrupts();
  interrupts.signal.addEventListener('abort', letSecondSignalKill, { once: true });
  try {
    await using worker = await startWorker({ ...optionsFrom(flags), logger }).catch((error) =>
      refuse(error, '--nats'),
    );
    const monitor = address === null ? null : await openMonitor(worker, address);
    const { name, slots, languages } = worker.describe();
    const monitorUrls = monitor === null ? {} : { monitorUrls: monitor.urls };
    if (monitor !== null) logger.info(monitorUrls, 'metrics ready');
    if (flags.json) printJson({ version: 1, command: 'worker', name, slots, languages, ...monitorUrls });
    await aborted(interrupts.signal);
    logger.info({ worker: name }, 'draining');
    await worker.close(drainMs);
    monitor?.close();
    return endOfServer(interrupts.signal);
  } finally {
    interrupts.stop();
  }
}

function optionsFrom(flags: WorkerFlags): WorkerOptions {
  const { nats, slots, languages, labels, cache, replicas } = flags;
  const { maxInput, maxOutput, maxWall } = flags;
  return {
    servers: nats,
    ...brokerOptions(flags),
    ...(slots === undefined ? {} : { slots: parseCount(slots, '--slots') }),
    ...(languages === undefined ? {} : { languages: languages.split(',').map((name) => name.trim()) }),
    ...(labels === undefined ? {} : { labels: labelsFrom(labels) }),
    ...(cache === undefined ? {} : { cacheBytes: parseSizeBytes(cache, '--cache') }),
    ...(maxInput === undefined ? {} : { inputBytesMax: parseSizeBytes(maxInput, '--max-input') }),
    ...(maxOutput === undefined ? {} : { outputBytesMax: parseSizeBytes(maxOutput, '--max-output') }),
    ...(maxWall === undefined ? {} : { ceilings: { wallTimeMs: parseDurationMs(maxWall, '--max-wall') } }),
    ...(replicas === undefined ? {} : { replicas: parseCount(replicas, '--replicas') }),
    ...(flags.allowDegraded ? { require: [] } : {}),
  };
}

function labelsFrom(texts: readonly string[]): Record<string, string> {
  const pairs = texts
    .flatMap((text) => text.split(','))
    .map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      throw new UsageError(`--labels: ${JSON.stringify(text)} is not a name and a value; write rack=a`);
    });
  return Object.fromEntries(pairs);
}
