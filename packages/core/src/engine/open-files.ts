/** How many files this process, and the helper that it starts, may have open. */
import { readdirSync, readFileSync } from 'node:fs';
import { UnsupportedError } from '../errors.js';

const OPEN_FILES_LEAST = 320;

/** Hard limit of open files of this process, which the helper inherits. */
export function hardOpenFiles(): number {
  const match = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return match === null ? Number.MAX_SAFE_INTEGER : Number(match[1]);
}

/** The most that one message over a UNIX socket can carry (SCM_MAX_FD). */
const SENT_AT_ONCE = 253;
/** A program has that many without being asked, also where the host may have little more. */
const PROGRAM_FILES_LEAST = 256;

/**
 * How many files a program may have open. As an ordinary user it must be fewer than the host: descriptors
 * that wait in sockets are counted per user, over all processes, and whoever sends one is refused
 * (ETOOMANYREFS) when the count is above its own limit of open files. A program can bring it to its limit and
 * one message more (of each CPU, which may look at once), and then the host could start nothing until it
 * ends. `max`: the host's hard limit.
 */
export function openFilesOfPrograms(max: number, rootless: boolean, cpus: number): number {
  if (!rootless) return max;
  const spare = Math.min(SENT_AT_ONCE * (cpus + 2), Math.floor(max / 2));
  return Math.min(max, Math.max(PROGRAM_FILES_LEAST, max - spare));
}

/** Init places a program's descriptors by way of numbers above all that they can have. */
export function checkOpenFileRoom(max: number): void {
  if (max >= OPEN_FILES_LEAST) return;
  throw new UnsupportedError({
    code: 'SBX_UNSUPPORTED_PLATFORM',
    message: `This process may have ${max} files open at the most, and the engine needs ${OPEN_FILES_LEAST}.`,
    hint: 'Raise the hard limit (`ulimit -Hn`, LimitNOFILE=).',
  });
}

/**
 * Of the host, for a sandbox in use: channel, work folder, pipes, files of its groups. 25 to 29 were measured
 * with four v1 hierarchies.
 */
const OPEN_FILES_PER_SANDBOX = 30;
/** Left to the rest of the process, and to sandboxes that end while others begin. */
const OPEN_FILES_SPARE = 128;

/** How many sandboxes the host has descriptors for; at least one. `max`: its hard limit. */
export function sandboxesThatFit(max: number, open = readdirSync('/proc/self/fd').length): number {
  return Math.max(1, Math.floor((max - open - OPEN_FILES_SPARE) / OPEN_FILES_PER_SANDBOX));
}
