// The entries of the catalogue that take little time, against core. `npm run attacks` runs all of them
// against everything.
import { beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES } from './harness/catalogue.mjs';
import { type EntryResult, runCatalogue } from './harness/run-catalogue.mjs';

const chosen = ENTRIES.filter(({ group, slow }) => 'ABCDE'.includes(group) && slow !== true);
const results = new Map<number, EntryResult>();

beforeAll(async () => {
  const ids = chosen.map(({ id }) => id);
  const { entries } = await runCatalogue({ ids, targets: ['core'] });
  for (const entry of entries) results.set(entry.id, entry);
}, 120_000);

describe('hostile programs', () => {
  it.each(chosen)('$id $name: $expected', ({ id }) => {
    const { pass, why } = results.get(id)!;
    // `null`: it does not apply to core, or not to this machine, and `why` says so.
    expect(pass === false ? why : '').toBe('');
    expect(pass === null ? why : 'a reason').not.toBe('');
  });
});
