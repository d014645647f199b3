// When a program runs that was asked for somewhere else: below this process, or below a server of its own.
import { paced } from './pace.js';
import { descendants } from './proc.mjs';
import { until } from './wait.js';

/** Waits until so many programs of this name have been executed. */
export function runningPrograms(name: string, count = 1, ancestor = process.pid): Promise<void> {
  const living = () => descendants(ancestor).filter((row) => row.name === name).length;
  return until(paced(15_000), `${count} × ${name} run`, () => living() === count);
}
