/** Words of the command line and signals, as all `sbx serve` commands take them. */
import { readFileSync } from 'node:fs';
import { InvalidOptionsError } from '@sbx/core';
import { EXIT } from '../exit-codes.js';
import { parseCount } from '../units.js';
import { UsageError } from '../usage-error.js';

/** It does not wait: whatever runs here is killed by our end. */
export function letSecondSignalKill(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(EXIT.tryAgain));
}

/** The server names the host and the port, which are flags here. */
export function refuseAddress(error: NodeJS.ErrnoException): never {
  if (error.syscall === undefined) throw error;
  throw new UsageError(error.message, 'The flags are --host and --port.', EXIT.ioError);
}

/** Resolves when it is. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** `allowOrigin`: `--allow-origin`. */
export function flagName(property: string): string {
  return `--${property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What is refused of an option is told by the flag that it came from; all else is thrown as it is. */
export function refuseOption(error: unknown, flagOf: (refused: InvalidOptionsError) => string): never {
  if (!(error instanceof InvalidOptionsError)) throw error;
  const got = error.got === null ? '' : `; got ${error.got}`;
  throw new UsageError(`${flagOf(error)} ${error.expected}${got}`, error.hint);
}

/** `python=2,elixir=1`, or `none`. */
export function standbyFrom(text: string): Record<string, number> {
  if (text === 'none') return {};
  const entries = text.split(',').map((entry) => {
    const [name, count] = entry.split('=');
    if (!name || count === undefined) {
      throw new UsageError(
        `--standby: ${JSON.stringify(entry)} is not a language and a count; write python=2,elixir=1`,
      );
    }
    return [name.trim(), parseCount(count.trim(), '--standby')];
  });
  return Object.fromEntries(entries);
}

/** Of the command line, or of a file. */
export function tokenFrom({ token, tokenFile }: { token?: string; tokenFile?: string }): string | null {
  if (tokenFile === undefined) return token ?? null;
  try {
    const text = readFileSync(tokenFile, 'utf8').trim();
    if (text !== '') return text;
  } catch (error) {
    throw new UsageError(`--token-file: ${(error as Error).message}`, null, EXIT.noInput);
  }
  throw new UsageError(`--token-file: ${tokenFile} is empty`, null, EXIT.noInput);
}
