/**
 * Lists and records of which the first mistake is told. To say what is wrong with an item takes zod up to 0.5
 * ms, and a message of 1 MiB has room for 100,000 of them: its reader would do nothing else meanwhile, and
 * lose the leases of all its jobs.
 */
import * as z from 'zod';

/** Of items of that form, at most `max`. */
export function list<Item extends z.ZodType>(item: Item, max: number, min = 0) {
  const all = z.array(z.unknown()).min(min).max(max);
  return all.transform((items, context): z.output<Item>[] => {
    const read: z.output<Item>[] = [];
    for (const [index, each] of items.entries()) {
      const parsed = item.safeParse(each);
      if (!parsed.success) return tell(parsed.error, index, context);
      read.push(parsed.data);
    }
    return read;
  });
}

/** Values of that form by names of that form, at most `max` of them: they are counted first. */
export function names<Name extends z.ZodString, Value extends z.ZodType>(
  name: Name,
  value: Value,
  max: number,
) {
  const few = z.custom<object>((told) => countOf(told) <= max, `must be at most ${max} names`);
  return few.pipe(z.record(name, value));
}

/** A text and a list have a name for each of their parts, and are no record. */
function countOf(told: unknown): number {
  if (typeof told !== 'object' || told === null || Array.isArray(told)) return Number.POSITIVE_INFINITY;
  return Object.keys(told).length;
}

function tell(error: z.ZodError, index: number, context: z.RefinementCtx): never {
  const { message, path } = error.issues[0]!;
  context.addIssue({ code: 'custom', message, path: [index, ...path] });
  return z.NEVER;
}
