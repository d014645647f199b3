/** Names of files, which a program may have chosen: as they are shown, and as they can be given. */
import { literal } from '../run/visible.js';

/** As text of one line, with everything in it made visible. */
export function shownName(name: string): string {
  return literal(name).replaceAll('\n', '\u240a').replaceAll('\t', '\u2409');
}

/** For the folder of downloads of who looks on. */
export function downloadName(name: string): string {
  return shownName(name).replace(/[<>:"/\\|?*\u2400-\u2421]/g, '_');
}

/** Why a name cannot be given; `null`: it can. */
export function problemOfName(name: string): string | null {
  if (name === '') return 'Give it a name first';
  if (name === '.' || name === '..' || name.includes('/')) return 'A name is not . or .. and has no slash';
  return null;
}
