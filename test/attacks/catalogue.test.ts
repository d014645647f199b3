// None of the catalogue's entries may be missing, whatever a machine can try of them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENTRIES, GROUPS } from './harness/catalogue.mjs';
import { awayMs } from './harness/cpu-watch.mjs';
import { unexpectedLines } from './harness/kernel-log.mjs';

const GROUP_IDS: Record<string, [first: number, last: number]> = {
  A: [1, 30],
  B: [31, 50],
  C: [51, 87],
  D: [88, 104],
  E: [105, 122],
  F: [123, 146],
  G: [147, 158],
};

/**
 * Beside the 159 that are numbered by group: a measuring cheat, and one for each place where a name is given.
 */
const FURTHER: Record<number, string> = { 159: 'D' };

it('has each of the 159 entries once, in its group, then those of names', () => {
  expect(ENTRIES.map(({ id }) => id)).toEqual(ENTRIES.map((_, index) => index + 1));
  expect(ENTRIES.length).toBeGreaterThanOrEqual(159 + 30);
  for (const { id, group } of ENTRIES) {
    const [first, last] = GROUP_IDS[group]!;
    const fits = id > 158 ? group === (FURTHER[id] ?? 'A') : id >= first && id <= last;
    expect(fits, `${id} in ${group}`).toBe(true);
  }
  expect(Object.keys(GROUPS)).toEqual(Object.keys(GROUP_IDS));
});

it('says of each what is wanted and what is acceptable', () => {
  for (const { name, expected } of ENTRIES) {
    expect(name).toMatch(/^\S.{8,}/);
    expect(expected).toMatch(/^\S/);
  }
  expect(new Set(ENTRIES.map(({ name }) => name)).size).toBe(ENTRIES.length);
});

it('uses every program of its folder', () => {
  const read = (folder: string) =>
    readdirSync(new URL(`${folder}/`, import.meta.url)).map((name) =>
      readFileSync(new URL(`${folder}/${name}`, import.meta.url), 'utf8'),
    );
  const text = ['entries', 'scenarios', 'harness'].flatMap(read).join('\n');
  const programs = readdirSync(new URL('programs/', import.meta.url)).filter((name) => name.endsWith('.c'));
  const unused = programs
    .map((name) => name.slice(0, -2))
    .filter((name) => !new RegExp(`['/]${name}(?![\\w-])`).test(text));
  expect(unused).toEqual([]);
});

it('tells reports about programs from other lines of the kernel', () => {
  const report = [
    'hold-memory invoked oom-killer: gfp_mask=0xcc0',
    'anon 65536',
    'Memory cgroup out of memory: Killed process 7 (hold-memory)',
  ];
  const harmless = [
    ...report,
    'cgroup: fork rejected by pids controller in /sbx',
    'x[9]: segfault at 8 ip 1 sp 2',
  ];
  expect(unexpectedLines(harmless)).toEqual([]);
  expect(unexpectedLines([report[2]!])).toEqual([]);
  const bad = ['BUG: unable to handle page fault', 'Out of memory: Killed process 1 (node)'];
  expect(unexpectedLines([...harmless, ...bad])).toEqual(bad);
});

it('counts of the time that CPUs were away what falls into a run', () => {
  const lines = '0 10.5 40.000\n1 95.000 105.250\n0 190.000 300.000\n';
  expect(awayMs(lines, 100, 200)).toBe(15.25);
  expect(awayMs(lines, 40, 95)).toBe(0);
  expect(awayMs('', 0, 200)).toBe(0);
});
