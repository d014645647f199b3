import { constants } from 'node:os';
import { watchLauncher } from '@sbx/serving';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The user or the system wants this command to end; also the reason of the abort. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Turns the signals that end a command into an abort, so that the sandbox is killed and gone before we are.
 */
export function watchInterrupts(): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => controller.abort(new Interrupted(signal));
  for (const signal of SIGNALS) process.on(signal, interrupt);
  // Whoever read our output has gone: nothing is left to do for the program either.
  const brokenPipe = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') interrupt('SIGPIPE');
    else controller.abort(error);
  };
  process.stdout.on('error', brokenPipe);
  const launcher = watchLauncher(() => interrupt('SIGTERM'));
  return {
    signal: controller.signal,
    stop: () => {
      launcher.stop();
      for (const signal of SIGNALS) process.off(signal, interrupt);
    },
  };
}
