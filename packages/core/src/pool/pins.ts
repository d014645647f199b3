/** CPUs for sandboxes that are to have one each: the one that the fewest others have. */
import { readFileSync } from 'node:fs';

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
  return parseCpuList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0');
}

/** As the kernel writes lists: `0-2,5`. */
export function parseCpuList(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}
