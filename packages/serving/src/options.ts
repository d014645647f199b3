/** Options checked by a zod schema, errors in the words of core. */
import { InvalidOptionsError } from '@sbx/core';

/** The part of a zod schema that is needed. */
interface Schema<Output> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Output }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function checkOptions<Output>(schema: Schema<Output>, options: unknown): Output {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = ['options', ...issue!.path].join('.');
  throw new InvalidOptionsError({ field, rule: 'type', expected: issue!.message });
}
