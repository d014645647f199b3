// Places that a rule forbids, but for those that a table has judged, each with its reason.
import { expect } from 'vitest';

/** `at`: for people; `key`: in the table. */
export interface Place {
  at: string;
  key: string;
}

/** `rule`: what to do instead, or which table takes a row. Rows that are not needed any more fail as well. */
export function expectJudged(
  places: readonly Place[],
  judged: Readonly<Record<string, string>>,
  rule: string,
): void {
  const unjudged = places.filter(({ key }) => !Object.hasOwn(judged, key));
  expect(unjudged.map(({ at, key }) => `${at}: ${rule}: '${key}'`)).toEqual([]);
  const seen = new Set(places.map(({ key }) => key));
  expect(
    Object.keys(judged).filter((key) => !seen.has(key)),
    'rows that are not needed any more',
  ).toEqual([]);
}
