/**
 * What a program can reach, by enumeration, is what is committed in probe/expected. A row that is not there
 * has to be judged first: then `npm run attacks -- --probe --write` commits it. This is the fast set;
 * `npm run attacks -- --probe` tries everything.
 */
import { describe, expect, it } from 'vitest';
import { allowedBeyond, unexplained } from './probe/beside.mjs';
import { BUBBLEWRAP, hasBubblewrap, runBeside } from './probe/peers.mjs';
import { runProbe } from './probe/run-probe.mjs';
import { FAST } from './probe/starts.mjs';
import { difference, machine, readTables, rowsOf, unjudged } from './probe/tables.mjs';

const expected = readTables();

describe.skipIf(expected === null)(`the prober, on ${machine()}`, () => {
  it('reaches what is committed, and nothing else', async () => {
    const tables = await runProbe(FAST);
    expect([...tables.keys()]).toHaveLength(FAST.profiles.length * FAST.starts.length);
    expect(unjudged(expected!, tables)).toEqual([]);
  }, 60_000);
});

describe.skipIf(expected === null || !hasBubblewrap())('beside bubblewrap', () => {
  it('allows nothing more without a reason in docs/comparison.md', async () => {
    const theirs = await runBeside('bubblewrap', BUBBLEWRAP);
    expect(theirs.size).toBeGreaterThan(500);
    expect(unexplained('bubblewrap', expected!, theirs)).toEqual({ rows: [], needless: [] });
  }, 60_000);
});

describe('tables', () => {
  const base = rowsOf('a x = OK\nb = EPERM\nb = OK\ndone\n');

  it('are read from what the prober prints, a subject that comes twice included', () => {
    expect([...base]).toEqual([
      ['a x', 'OK'],
      ['b', 'EPERM'],
      ['b (again)', 'OK'],
    ]);
    expect(() => rowsOf('a = OK\n')).toThrow('did not come to its end');
  });

  it('show what is allowed here and refused there, part by part', () => {
    const ours = rowsOf('a = read OK, write EPERM\nb = EPERM, with zeros OK\nc = OK\nd = EPERM\ndone\n');
    const theirs = rowsOf('a = read OK, write OK\nb = OK, with zeros EPERM\ndone\n');
    expect(allowedBeyond(ours, theirs)).toEqual([
      'b = EPERM, with zeros OK (there: OK, with zeros EPERM)',
      'c = OK (there: no such row)',
    ]);
  });

  it('differ by new, changed and missing rows', () => {
    const rows = rowsOf('a x = EPERM\nb = EPERM\nc = new\ndone\n');
    expect(difference(base, rows)).toEqual(['a x = EPERM', 'c = new', 'b (again) is gone']);
    const one = (table: Map<string, string>) => new Map([['t', table]]);
    expect(unjudged(one(base), one(rows))).toEqual([
      't: a x = EPERM, expected OK',
      't: c = new, expected no such row',
      't: b (again) is gone',
    ]);
    expect(unjudged(new Map(), one(rows))).toEqual(['t: has no table']);
  });
});
