/**
 * Interpreters start by absolute path: the PATH of a request belongs to its program, and must not decide what
 * runs it.
 */

import type { Language } from './language.js';
import type { Programs } from './needs.js';

interface Start {
  file: string;
  env: Record<string, string>;
}

/**
 * The same start without a look at PATH. Some interpreters are scripts that look for further programs there
 * (`elixir` for `erl`): the folders of those are added at its end, where they hide nothing of the request's.
 */
export function startByPath({ run, needs }: Language, programs: Programs, { file, env }: Start): Start {
  const others = needs.filter((name) => name !== run.file && !name.startsWith('/'));
  const folders = others.flatMap((name) => folderOf(programs.get(name)));
  return { file: programs.get(file) ?? file, env: { ...env, PATH: withFolders(env.PATH, folders) } };
}

function folderOf(path: string | undefined): string[] {
  return path === undefined ? [] : [path.slice(0, path.lastIndexOf('/')) || '/'];
}

function withFolders(path = '', folders: readonly string[]): string {
  const present = path === '' ? [] : path.split(':');
  return [...present, ...new Set(folders.filter((folder) => !present.includes(folder)))].join(':');
}
