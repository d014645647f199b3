/** What a worker tells its operator of its broker and of jobs that it could not carry out. */
import { isSbxError } from '@sbx/core';
import type { Clock } from '../clock.js';
import type { Broker } from '../nats/connection.js';
import { isWorkersFault } from '../work/worker-fault.js';
import type { WorkerLogger } from './options.js';

/** Of what is no error of the engine's the message may name files of a job, so it stays out. */
export function logFailure(error: unknown, logger: WorkerLogger): void {
  const { name, code, syscall } = error as NodeJS.ErrnoException;
  if (isSbxError(error) && !isWorkersFault(error))
    return logger.debug({ code }, 'a job was refused or failed');
  logger.warn({ name, code, syscall }, 'the worker failed: it could not carry a job out');
}

/** One warning for so long: a tenant may put any number of them into the queue. */
const BROKEN_MS = 10_000;

/** Of messages in the queue that are none of this version's jobs. */
export function brokenLog(logger: WorkerLogger, clock: Pick<Clock, 'now'>): (error: Error) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let others = 0;
  return ({ message: reason }) => {
    const now = clock.now();
    if (now < quietUntil) {
      others += 1;
      return;
    }
    logger.warn({ reason, othersBefore: others }, 'a message in the queue is no job');
    quietUntil = now + BROKEN_MS;
    others = 0;
  };
}

/** Once when it begins to be refused, and once when it is taken again. */
export function logLogins({ health }: Pick<Broker, 'health'>, logger: WorkerLogger): void {
  health.onLogin((refusal) => {
    if (refusal === null) return logger.info({}, 'the broker takes the login of this worker again');
    const message = 'the broker refuses the login of this worker, which takes no jobs and tries again';
    logger.warn({ refusal }, message);
  });
}

/** What is there is used as it is, which may be less safe than its operator thinks. */
export function logCopies(
  { copies }: Pick<Broker, 'copies'>,
  { replicas, logger }: { replicas: number | undefined; logger: WorkerLogger },
): void {
  if (replicas === undefined || copies >= replicas) return;
  const message =
    'the queue was made with fewer copies than are asked for here: nats stream edit changes them';
  logger.warn({ copies, replicas }, message);
}

/** Each kind once: many have a tenant and a submitter in them. */
export function logDenials({ denials }: Pick<Broker, 'denials'>, logger: WorkerLogger): void {
  const known = new Set<string>();
  denials.onDenied(({ operation, subject, message }) => {
    const kind = `${operation} ${subject.split('.').slice(0, 2).join('.')}`;
    if (known.has(kind)) return;
    known.add(kind);
    logger.error({ operation, subject }, message);
  });
}
