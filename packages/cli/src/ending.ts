/**
 * The end of this process. A signal ends it although nobody takes what it wrote; else whoever reads slowly
 * gets all of it.
 */
import { setTimeout as after } from 'node:timers/promises';

/** For what is on its way when a signal has come: who reads at all has it by then. */
const GOODBYE_MS = 1000;

let isAsked = false;

/** A signal has come that ends this command. Not of servers: they say goodbye to clients who read slowly. */
export function askToEnd(): void {
  isAsked = true;
}

/** To be called when the command has come to its end. */
export async function endWith(exitCode: number): Promise<void> {
  process.exitCode = exitCode;
  if (!isAsked) return;
  await Promise.race([Promise.all([taken(process.stdout), taken(process.stderr)]), after(GOODBYE_MS)]);
  process.exit();
}

/** Resolves when all that was written has left, or cannot. */
function taken(stream: NodeJS.WriteStream): Promise<unknown> {
  return stream.writableLength === 0
    ? Promise.resolve()
    : new Promise((resolve) => stream.write('', resolve));
}
