/**
 * When CPUs of this machine were away. A machine that is itself virtual loses its CPUs for 10 to 50 ms now
 * and then, and the time of that is charged to the program that was running, or passes before its limit can
 * be looked at. What a run is measured by is what is left without it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readOrNull } from '../../helpers/proc.mjs';

/** The time of `watch-cpus`. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * How much of the time between the two moments CPUs were away, all together, in ms; from the lines of
 * `watch-cpus`.
 */
export function awayMs(lines, fromMs, toMs) {
  let away = 0;
  for (const line of lines.split('\n').filter(Boolean)) {
    const [, began, ended] = line.split(' ').map(Number);
    away += Math.max(0, Math.min(ended, toMs) - Math.max(began, fromMs));
  }
  return away;
}

export class CpuWatch {
  #path;
  #child;

  /** Without the right to a real-time class nothing is watched, and no CPU is ever said to have been away. */
  constructor(world) {
    this.#path = join(world.folder, 'cpus-away');
    this.#child = spawn(join(world.testPrograms, 'watch-cpus'), [this.#path], { stdio: 'ignore' });
  }

  /** From then until now. */
  awayMs(fromMs) {
    return awayMs(readOrNull(this.#path) ?? '', fromMs, nowMs());
  }

  close() {
    this.#child.kill('SIGKILL');
  }
}
