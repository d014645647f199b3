/**
 * Which file `args[0]` means: a path as it is; a bare name in the work folder, then in the folders of the last PATH. What
 * is found becomes the program's own argv[0]. The folders are looked at on the host, through the mounts.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { posix } from 'node:path';
import { StartFailure } from '../errors.js';
import type { Settings } from '../settings.js';
import type { JobProgram } from './job.js';

/** Throws `StartFailure`. */
export function findProgram(program: JobProgram, settings: Settings): string {
  const name = program.args[0];
  if (name === undefined) throw new StartFailure('execve: recvReply recv msg: read unixpacket @->@: EOF');
  if ([...program.args, ...program.env].some((text) => text.includes('\0'))) {
    throw new StartFailure(`execve: start: ${name}: invalid argument`);
  }
  if (name.includes('/')) return name;
  const copied = copiedPaths(program, settings.workDir);
  if (name !== '' && copied.has(`${settings.workDir}/${name}`)) return `${settings.workDir}/${name}`;
  const path = program.env.filter((variable) => variable.startsWith('PATH=')).at(-1);
  if (path === undefined) {
    throw new StartFailure(`execve: handle: ${name}: no PATH environment variable provided for look up`);
  }
  const folders = path === 'PATH=' || name === '' ? [] : path.slice('PATH='.length).split(':');
  for (const folder of folders) {
    const file = posix.resolve(settings.workDir, folder, name);
    if (copied.has(file) || isProgram(hostPath(file, settings)))
      return folder === '' ? file : `${folder}/${name}`;
  }
  throw new StartFailure(`execve: handle: ${name}: executable file not found in $PATH`);
}

/** Files that copyIn brings, all of them executable; a link may lead anywhere and counts. */
function copiedPaths(program: JobProgram, workDir: string): Set<string> {
  return new Set(program.copyIn.map(([path]) => posix.resolve(workDir, path)));
}

function hostPath(file: string, { programFolders }: Settings): string | null {
  const folder = programFolders.find(({ inside }) => file === inside || file.startsWith(`${inside}/`));
  return folder === undefined ? null : folder.host + file.slice(folder.inside.length);
}

function isProgram(path: string | null): boolean {
  if (path === null || !statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
