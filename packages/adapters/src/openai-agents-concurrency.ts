/** How much is put in place at once. */
import type { Errors } from './openai-agents-faults.js';
import type { OpenAIAgentsConcurrencyLimits } from './openai-agents-types.js';

export type Concurrency = Readonly<Required<OpenAIAgentsConcurrencyLimits>>;

/** The framework's own. */
const DEFAULT = 4;

export function concurrencyOf(errors: Errors, limits: OpenAIAgentsConcurrencyLimits = {}): Concurrency {
  const countOf = (name: keyof Concurrency): number => {
    const { [name]: count = DEFAULT } = limits;
    if (Number.isFinite(count) && count >= 1) return Math.floor(count);
    throw new errors.UserError(
      `concurrencyLimits.${name} must be a number from 1 on. Leave it out for ${DEFAULT}.`,
    );
  };
  return { manifestEntries: countOf('manifestEntries'), localDirFiles: countOf('localDirFiles') };
}

/**
 * Works on each, so many at once. After a failure nothing more is begun, and what has begun ends before the
 * failure is told.
 */
export async function eachOf<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let isFailed = false;
  const worker = async () => {
    for (const item of rest) {
      if (isFailed) return;
      await work(item).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(count, items.length) }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
