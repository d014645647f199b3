/** Time, as the state machines see it: tests put another one in its place. */
export interface Clock {
  /** In ms, from an arbitrary start, never going back. */
  now(): number;
  /** Calls back once; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a time, or as soon as `signal` is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      stop();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const stop = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
