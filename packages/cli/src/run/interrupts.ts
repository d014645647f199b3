import { watchLauncher } from '@sbx/serving';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import { Interrupted, outputFailure } from './output-failure.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  /** Aborted with an `Interrupted`, or with a `UsageError` where stdout cannot be written. */
  signal: AbortSignal;
  /** Throws when stdout took less than it was given, also after all else has ended. */
  checkOutput(): void;
  stop(): void;
}

/**
 * Turns the signals that end a command into an abort, so that the sandbox is killed and gone before we are.
 * `onSignal` is called before.
 */
export function watchInterrupts(onSignal: () => void = () => undefined): Interrupts {
  const controller = new AbortController();
  let failure: Interrupted | UsageError | null = null;
  const interrupt = (signal: NodeJS.Signals) => {
    onSignal();
    controller.abort(new Interrupted(signal));
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  // Nothing is left to do for the program either.
  const fail = (error: NodeJS.ErrnoException) => {
    failure ??= outputFailure(process.stdout, error);
    controller.abort(failure);
  };
  process.stdout.on('error', fail);
  const launcher = watchLauncher(() => interrupt('SIGTERM'));
  return {
    signal: controller.signal,
    checkOutput() {
      if (failure !== null) throw failure;
    },
    stop() {
      launcher.stop();
      for (const signal of SIGNALS) process.off(signal, interrupt);
      process.stdout.off('error', fail);
    },
  };
}

/** How a server ends that was asked to: well, unless nobody could be told where it is. */
export function endOfServer({ reason }: AbortSignal): number {
  if (reason instanceof UsageError) throw reason;
  return EXIT.ok;
}
