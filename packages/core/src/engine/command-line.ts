/** What the kernel was told at its start, as far as limits depend on it. */
import { readFileSync } from 'node:fs';

/** Memory that a kernel can be told not to count to any group. */
const NOT_COUNTED = { nokmem: 'its own objects', nosocket: 'what waits in sockets' } as const;

/**
 * Why memory that the kernel takes for programs is in no limit, or `null`. v1 bounds sockets by a limit of
 * their own, whatever the kernel was told.
 */
export function uncountedMemory(version: 'v1' | 'v2', commandLine = readCommandLine()): string | null {
  const said = new Set(valuesOf('cgroup.memory', commandLine).flatMap((value) => value.split(',')));
  const words = (['nokmem', 'nosocket'] as const).filter(
    (word) => said.has(word) && (word === 'nokmem' || version === 'v2'),
  );
  if (words.length === 0) return null;
  const what = words.map((word) => NOT_COUNTED[word]).join(' and ');
  return `the kernel was started with cgroup.memory=${words.join(',')} and does not count ${what}`;
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
