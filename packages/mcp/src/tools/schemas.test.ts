import { expect, test } from 'vitest';
import { z } from 'zod';
import { argumentsOf } from './schemas.js';

test('what a caller made up is shown in part', () => {
  const made = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}${'x'.repeat(1000)}`, 1]));
  const { error } = argumentsOf({ path: z.string().optional() }).safeParse(made);
  const { message } = error!.issues[0]!;
  expect(message).toMatch(/^Unrecognized key: "0x+", .*, …\. Known are path\.$/);
  expect(message.length).toBeLessThan(700);
});
