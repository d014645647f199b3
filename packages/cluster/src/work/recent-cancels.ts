/** Jobs that were cancelled lately: the word may come before the job does. */

const COUNT_MAX = 4096;

export class RecentCancels {
  readonly #keys = new Set<string>();

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= COUNT_MAX) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }
}
