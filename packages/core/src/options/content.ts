/** Checks of what goes into the work folder and what is wanted back: `files`, `Content`, `copyOut`. */
import type { Content, CopyOut, FileInput } from '../types/files.js';
import { BOOLEAN, by, checkTable, isGetter, isPlainObject, number, table, text, word } from './check.js';
import { checkFilePath, PATH_BYTES_MAX } from './paths.js';
import { keySegment, type Problem, problem, within, wrongSecret, wrongType } from './problem.js';

/** Entries of one `files` or `copyOut`: each is an open, a read and a result of its own. */
export const FILE_COUNT_MAX = 65_536;
/** Bytes of one file that the host holds in memory. */
export const CONTENT_BYTES_MAX = 2 ** 31;

const MODE_MAX = 0o777;

/** Rules of the keys of `Content`, shared by files and stdin. */
export const CONTENT_RULES = {
  text: text(CONTENT_BYTES_MAX, { empty: true, secret: true }),
  bytes: by(checkBytes),
  hostFile: text(PATH_BYTES_MAX),
  fd: number(0, 2 ** 31 - 1),
};

const FILE_TABLE = table<FileInput>(
  'a file',
  { ...CONTENT_RULES, symlink: text(PATH_BYTES_MAX), mode: by(checkMode), executable: BOOLEAN },
  {
    exactlyOne: ['text', 'bytes', 'hostFile', 'fd', 'symlink'],
    hints: { content: 'Give text or bytes.', path: 'Give hostFile.' },
  },
);

const WORKSPACE_TABLE = table<Exclude<Content, { text: string }>>(
  'a workspace',
  { bytes: CONTENT_RULES.bytes, hostFile: CONTENT_RULES.hostFile, fd: CONTENT_RULES.fd },
  {
    exactlyOne: ['bytes', 'hostFile', 'fd'],
    hints: { text: 'An archive is bytes.', path: 'Give hostFile.' },
  },
);

const COPY_OUT_TABLE = table<Exclude<CopyOut, string>>(
  'an entry of copyOut',
  {
    path: by(checkFilePath),
    optional: word(true, false, 'any'),
    maxBytes: number(0, CONTENT_BYTES_MAX, { unit: 'bytes' }),
    truncate: BOOLEAN,
    as: word('bytes', 'fd'),
  },
  { required: ['path'] },
);

const JSON_HINT = 'Bytes that went through JSON are bytes no more: keep them by v8.serialize, or as base64.';

function checkBytes(value: unknown): Problem | null {
  return value instanceof Uint8Array
    ? null
    : wrongSecret('a Uint8Array', value, isPlainObject(value) ? JSON_HINT : 'For text give { text: … }.');
}

/** Content that comes by and by. */
export function isStream(value: unknown): value is AsyncIterable<Uint8Array | string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Checks file permissions. */
export function checkMode(value: unknown, max: number = MODE_MAX): Problem | null {
  if (typeof value !== 'number') return wrongType('file permissions such as 0o644', value);
  // 644 and 755 without 0o are the classic slip, and would be the sticky bit and odd permissions.
  const isSlip = value > MODE_MAX && /^[0-7]{3}$/.test(`${value}`);
  if (Number.isInteger(value) && value >= 0 && value <= max && !isSlip) return null;
  const expected = `must be file permissions from 0 to 0o${max.toString(8)}`;
  return problem('range', expected, `the number ${value}`, isSlip ? `Write it in octal: 0o${value}.` : null);
}

/** Checks a `files` record: path → text, bytes or `FileInput`. */
export function checkFiles(value: unknown): Problem | null {
  if (!isPlainObject(value)) return wrongSecret('an object of path: content', value);
  let count = 0;
  for (const path in value) {
    if (!Object.hasOwn(value, path)) continue;
    if (++count > FILE_COUNT_MAX) return problem('size', `must have at most ${FILE_COUNT_MAX} files`);
    const found = checkFilePath(path) ?? checkFile(value, path);
    if (found !== null) return within(keySegment(path), found);
  }
  return null;
}

function checkFile(files: Record<string, unknown>, path: string): Problem | null {
  if (isGetter(files, path)) return problem('type', 'must be a plain value, not a getter');
  return checkFileInput(files[path]);
}

/** Checks the content of one file: a string, bytes or a `FileInput`. */
export function checkFileInput(value: unknown): Problem | null {
  if (typeof value === 'string' || value instanceof Uint8Array) return null;
  if (!isPlainObject(value))
    return wrongSecret('a string, a Uint8Array or { text | bytes | hostFile | fd | symlink }', value);
  return checkTable(value, FILE_TABLE) ?? checkLink(value);
}

/** Whether an object was meant as a file, and not as what is to be in one. */
export function hasKeyOfFile(value: object): boolean {
  return Object.keys(value).some((key) => FILE_TABLE.rules.has(key) || Object.hasOwn(FILE_TABLE.hints, key));
}

function checkLink({ symlink, mode, executable }: Record<string, unknown>): Problem | null {
  if (symlink === undefined || (mode === undefined && executable === undefined)) return null;
  const key = mode === undefined ? '.executable' : '.mode';
  return within(key, problem('conflict', 'must be left out beside symlink: links have no permissions'));
}

/** Checks `SandboxOptions.workspace`. */
export function checkWorkspace(value: unknown): Problem | null {
  if (value instanceof Uint8Array || isStream(value)) return null;
  if (isPlainObject(value)) return checkTable(value, WORKSPACE_TABLE);
  return wrongSecret('a Uint8Array, a stream or { bytes | hostFile | fd }', value, workspaceHint(value));
}

function workspaceHint(value: unknown): string | null {
  if (typeof value !== 'string' && !(value instanceof URL)) return null;
  return "For an archive give { hostFile: path }, for a folder spawn('tar', ['-C', path, '-c', '.']).stdout.";
}

/** Checks a `copyOut` list. */
export function checkCopyOut(value: unknown): Problem | null {
  if (!Array.isArray(value))
    return wrongType(
      'an array of paths',
      value,
      typeof value === 'string' ? 'For one path give [path].' : null,
    );
  if (value.length > FILE_COUNT_MAX) {
    return problem('size', `must have at most ${FILE_COUNT_MAX} entries`, `${value.length}`);
  }
  for (let index = 0; index < value.length; index++) {
    const entry: unknown = value[index];
    const found = typeof entry === 'string' ? checkFilePath(entry) : checkTable(entry, COPY_OUT_TABLE);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

/** Contents that need no waiting; `null` for those of the host. */
export function immediateBytes(content: Content | string | Uint8Array): Uint8Array | null {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return content;
  const { text, bytes } = content as { text?: string; bytes?: Uint8Array };
  return text === undefined ? (bytes ?? null) : Buffer.from(text);
}
