/**
 * Work that an abort starts. However many runs share a signal, it has one listener of ours: Node warns of a
 * leak at eleven, and a listener per run would be one.
 */

interface Shared {
  works: Set<() => void>;
  listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

const NOTHING = () => undefined;

/**
 * Calls `work` once when `signal` aborts, unless the function that is returned was called before; never
 * without a signal. It must not be aborted yet.
 */
export function onAbort(signal: AbortSignal | undefined, work: () => void): () => void {
  if (signal === undefined) return NOTHING;
  const { works } = shared.get(signal) ?? share(signal);
  const own = () => work(); // the same function may be given twice
  works.add(own);
  return () => {
    works.delete(own);
    if (works.size === 0) unshare(signal, works);
  };
}

/**
 * As `work`, unless the signal comes first: then it rejects with the signal's reason at once, and `undo` gets
 * what comes of the work after all.
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | null | undefined,
  undo: (made: T) => void = () => undefined,
): Promise<T> {
  if (signal == null) return work;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason as Error);
      work.then(undo, () => undefined);
    };
    if (signal.aborted) return abort();
    const unsubscribe = onAbort(signal, abort);
    work.then(resolve, reject).finally(unsubscribe);
  });
}

function share(signal: AbortSignal): Shared {
  const works = new Set<() => void>();
  const listener = () => {
    shared.delete(signal);
    for (const work of [...works]) if (works.has(work)) work();
  };
  const made = { works, listener };
  shared.set(signal, made);
  signal.addEventListener('abort', listener, { once: true });
  return made;
}

/** A signal that lives on holds nothing of ours. */
function unshare(signal: AbortSignal, works: Set<() => void>): void {
  const known = shared.get(signal);
  if (known?.works !== works) return;
  shared.delete(signal);
  signal.removeEventListener('abort', known.listener);
}
