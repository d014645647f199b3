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

/** Values of that form by names of at most `charsMax`, at most `max` of them. */
export function names<Value extends z.ZodType>(value: Value, max: number, charsMax: number) {
  const few = z.custom<object>(
    (told) => Object.keys(Object(told)).length <= max,
    `must be at most ${max} names`,
  );
  return few.pipe(z.record(z.string().max(charsMax), value));
}

function tell(error: z.ZodError, index: number, context: z.RefinementCtx): never {
  const { message, path } = error.issues[0]!;
  context.addIssue({ code: 'custom', message, path: [index, ...path] });
  return z.NEVER;
}
