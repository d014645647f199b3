/** Work that waits its turn: one piece at a time. */
export class Line {
  #last: Promise<unknown> = Promise.resolve();

  add<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
