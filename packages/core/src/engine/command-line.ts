/** What the kernel was told at its start, as far as limits depend on it. */
import { readFileSync } from 'node:fs';

/** Memory that a kernel can be told not to count to any group. */
const NOT_COUNTED = [
  { word: 'nokmem', what: 'its own objects', versions: ['v1', 'v2'] },
  { word: 'nosocket', what: 'what waits in sockets', versions: ['v2'] },
];

/**
 * Why memory that the kernel takes for programs is in no limit, or `null`. v1 bounds sockets by a limit of
 * their own, whatever the kernel was told.
 */
export function uncountedMemory(version: 'v1' | 'v2', commandLine = readCommandLine()): string | null {
  const said = new Set(valuesOf('cgroup.memory', commandLine).flatMap((value) => value.split(',')));
  const rows = NOT_COUNTED.filter(({ word, versions }) => said.has(word) && versions.includes(version));
  if (rows.length === 0) return null;
  const words = rows.map(({ word }) => word).join(',');
  const what = rows.map(({ what }) => what).join(' and ');
  return `the kernel was started with cgroup.memory=${words} and does not count ${what}`;
}

/**
 * All values of a parameter, as the kernel takes its command line apart: at white space outside of quotes,
 * which may stand around the value or the whole; what comes after `--` is init's.
 */
function valuesOf(name: string, commandLine: string): string[] {
  const words: readonly string[] = commandLine.trim().match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? [];
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  return own
    .map((word) => word.replaceAll('"', ''))
    .filter((word) => word.startsWith(`${name}=`))
    .map((word) => word.slice(name.length + 1));
}

function readCommandLine(): string {
  try {
    return readFileSync('/proc/cmdline', 'utf8');
  } catch {
    return ''; // not shown in this container: the ordinary is taken for granted
  }
}
