/** CPUs for sandboxes that are to have one each: the one that the fewest others have. */
import { readFileSync } from 'node:fs';
import { parseCpuSet } from '../options/cpu-set.js';

export class CpuPins {
  readonly #uses: Map<number, number>;

  constructor(cpus: readonly number[]) {
    this.#uses = new Map(cpus.map((cpu) => [cpu, 0]));
  }

  /** Of several the first. */
  acquire(): number {
    const [cpu, uses] = [...this.#uses].reduce((least, one) => (one[1] < least[1] ? one : least));
    this.#uses.set(cpu, uses + 1);
    return cpu;
  }

  release(cpu: number): void {
    this.#uses.set(cpu, this.#uses.get(cpu)! - 1);
  }
}

/** CPUs that this process may run on. */
export function allowedCpus(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  return parseCpuSet(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0');
}
