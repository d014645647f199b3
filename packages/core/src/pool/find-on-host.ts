/** Where the host has a program that sandboxes do not see. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Of toolchains that install outside of /usr/bin and are not on every PATH. */
const TOOLCHAIN_BINS = ['/usr/local/go/bin', '/opt/go/bin'];

const SYSTEM_BIN = /^\/(usr\/)?s?bin\/[^/]+$/;

/** Where the host finds a name that the sandbox does not: by its own PATH, links followed. */
export function findOnHost(file: string, tried: readonly string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), ...TOOLCHAIN_BINS];
  const names = file.includes('/') ? [file] : folders.map((folder) => `${folder}/${file}`);
  for (const path of names) {
    const real = isOfHost(path) ? realPathOf(path) : null;
    if (real === null) continue;
    if (SYSTEM_BIN.test(real)) return null; // left out by the caller's own mounts, and of no toolchain
    const versions = versionsBehind(path, real);
    if (versions !== null) {
      const program = newestOf(versions, basename(path));
      if (program !== null) return program;
      continue;
    }
    // A link that sandboxes see, to a file that they do not, is named by where it leads.
    return tried.includes(path) && real === path ? null : real;
  }
  return null;
}

/** The host's /proc is about the host's own process: what is there is no program that the sandbox lacks. */
export function isOfHost(path: string): boolean {
  return path.startsWith('/') && !path.startsWith('/proc/');
}

/**
 * Proxies of rustup, and shims of pyenv and its like, choose a version by files of the home folder and start
 * the program of that: by themselves they do nothing inside. This is the folder of their versions; `null` for
 * what is no proxy.
 */
function versionsBehind(path: string, real: string): string | null {
  if (basename(real) === 'rustup' && basename(path) !== 'rustup')
    return join(process.env.RUSTUP_HOME ?? join(homedir(), '.rustup'), 'toolchains');
  const folder = dirname(path);
  return basename(folder) === 'shims' ? join(dirname(folder), 'versions') : null;
}

/** Of the versions that have it the last by number, or by name: stable comes after 1.90 and nightly. */
function newestOf(versions: string, name: string): string | null {
  const newestFirst = namesIn(versions).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return newestFirst.map((version) => join(versions, version, 'bin', name)).find(existsSync) ?? null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Null also where something is that has no path of ours: a socket behind a link of /proc, a folder of another
 * mount namespace.
 */
function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
