/**
 * `/console/files/ID/PATH`: files of a run that is under way, for whoever made it. Every path is resolved by
 * `FileCalls`, which no link leads out of; what is sent can be no page. docs/protocols/console.md.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FILE_BYTES_MAX, FOLDER_ENTRIES_MAX, type FolderItem, type FolderListing } from '@sbx/console/wire';
import type { FileCalls, FileStat } from '@sbx/core';
import { type EntryCheck, FOREIGN_PAGE, Places, sendText } from '@sbx/serving';
import type { RunningRuns } from '../live/running.js';
import { FileRefusal, refusalOf } from './file-refusal.js';
import { sendNoToken } from './pages.js';

/** Of all runs together; more are told to come again, and those that hardly move are cut. */
const TRANSFERS_MAX = 16;
const MIB = 2 ** 20;

/** A content that a browser would like to show can do nothing: it is a download, and nobody's page. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Disposition': 'attachment',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

interface Call {
  files: FileCalls;
  /** In the work folder; `'.'` is that itself. */
  path: string;
  request: IncomingMessage;
  response: ServerResponse;
}

type Work = (call: Call) => Promise<void>;

const OF_FILES = new Map<string | undefined, Work>([
  ['GET', sendFile],
  ['PUT', takeFile],
  ['DELETE', removeFile],
]);
const OF_FOLDERS = new Map<string | undefined, Work>([
  ['GET', sendList],
  ['PUT', makeFolder],
  ['DELETE', removeFolder],
]);

export class RunFiles {
  readonly #running: Pick<RunningRuns, 'filesOf'>;
  readonly #check: EntryCheck;
  readonly #places: Places;

  constructor(running: Pick<RunningRuns, 'filesOf'>, check: EntryCheck, places = new Places(TRANSFERS_MAX)) {
    this.#running = running;
    this.#check = check;
    this.#places = places;
  }

  /** `place`: the id of a run and a path, as they are in the address. Never rejects. */
  async answer(place: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const objection = this.#check(request);
    const leave = objection === null ? this.#places.take(request.socket) : null;
    if (leave === null) closeAfter(request, response);
    if (objection === 'no-token') return sendNoToken(response);
    if (objection === 'foreign-page') return sendText(response, 403, FOREIGN_PAGE);
    if (leave === null) return sendText(response, 503, BUSY, { 'Retry-After': '1' });
    try {
      await this.#work(place, request, response);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const { status, message } = refusalOf(error);
      closeAfter(request, response);
      sendText(response, status, `${message}\n`, HEADERS);
    } finally {
      leave();
    }
  }

  #work(place: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, path, isFolder } = placeOf(place);
    const work = (isFolder ? OF_FOLDERS : OF_FILES).get(request.method);
    if (work === undefined) throw new FileRefusal(405, 'method: must be GET, PUT or DELETE');
    const files = this.#running.filesOf(id);
    if (files === undefined) throw new FileRefusal(404, NO_RUN);
    return work({ files, path, request, response });
  }
}

const BUSY = `files: ${TRANSFERS_MAX} transfers are under way; try again in a second\n`;
const NO_RUN =
  'id: no run with this id is under way whose files can be reached; its `requestId` must say so, see docs/protocols/console.md';

/** A body that nobody takes is not read to its end. */
function closeAfter(request: IncomingMessage, response: ServerResponse): void {
  if (!request.complete) response.setHeader('Connection', 'close');
  request.resume();
}

/** A folder is what ends with a slash. */
function placeOf(place: string): { id: string; path: string; isFolder: boolean } {
  const slash = place.indexOf('/');
  if (slash < 0) throw new FileRefusal(404, NO_RUN);
  try {
    const id = decodeURIComponent(place.slice(0, slash));
    const path = decodeURIComponent(place.slice(slash + 1));
    if (path.startsWith('/'))
      throw new FileRefusal(400, 'path: must begin in the work folder, not with a slash');
    return { id, path: withoutSlashes(path) || '.', isFolder: path === '' || path.endsWith('/') };
  } catch (error) {
    if (error instanceof FileRefusal) throw error;
    throw new FileRefusal(400, 'path: must be percent-encoded UTF-8');
  }
}

/** At its end. An expression would look through a row of slashes again from each of them. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

async function sendList({ files, path, response }: Call): Promise<void> {
  const all = await files.readdir(path, { withFileTypes: true });
  all.sort((one, other) => (one.name < other.name ? -1 : 1));
  const prefix = path === '.' ? '' : `${path}/`;
  const entries: FolderItem[] = [];
  for (const { name, kind } of all.slice(0, FOLDER_ENTRIES_MAX)) {
    const stat = await files.lstat(prefix + name).catch(() => null);
    entries.push({ name, kind: stat?.kind ?? kind, sizeBytes: stat?.sizeBytes ?? null });
  }
  const listing: FolderListing = { entries, moreCount: all.length - entries.length };
  sendText(response, 200, JSON.stringify(listing), { ...HEADERS, 'Content-Type': 'application/json' });
}

/** Of a state of a file: what is written later has another time, or another size. */
const markOf = ({ sizeBytes, modifiedMs }: FileStat) => `"${sizeBytes}-${modifiedMs}"`;

async function sendFile({ files, path, response }: Call): Promise<void> {
  const stat = await files.stat(path);
  const { sizeBytes } = stat;
  if (sizeBytes > FILE_BYTES_MAX) throw tooLarge(sizeBytes);
  const chunks = bounded(files.createReadStream(path));
  try {
    const first = await chunks.next(); // what cannot be read is told before the answer begins
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/octet-stream', ETag: markOf(stat) });
    await pipeline(async function* () {
      if (!first.done) yield first.value;
      yield* chunks;
    }, response);
  } finally {
    // The file is open since the first chunk; a reset before the second one ends only the generator above.
    await chunks.return();
  }
}

/**
 * Whole or not at all: it is written beside its place, and then put there. A link there is replaced. With
 * `If-Match` only what is still as it was read, with `If-None-Match: *` only where nothing is.
 */
async function takeFile({ files, path, request, response }: Call): Promise<void> {
  const sizeBytes = Number(request.headers['content-length'] ?? 0);
  if (sizeBytes > FILE_BYTES_MAX) throw tooLarge(sizeBytes);
  const before = await files.lstat(path).catch(() => null);
  if (before?.kind === 'dir') throw new FileRefusal(409, 'path: there is a folder with this name');
  const mode = before?.kind === 'file' ? before.mode & 0o777 : 0o644;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const beside = `${folder}.${randomUUID()}.part`;
  let mark: string;
  try {
    await files.writeFile(beside, bounded(request.iterator({ destroyOnReturn: false })), { mode });
    mark = markOf(await files.stat(beside)); // in its place another may follow at once
    await checkConditions(files, path, request.headers);
    await files.rename(beside, path);
  } catch (error) {
    await files.rm(beside, { force: true }).catch(() => undefined); // the sandbox may be gone
    throw error;
  }
  sendDone(response, { ETag: mark });
}

async function checkConditions(files: FileCalls, path: string, headers: IncomingHttpHeaders): Promise<void> {
  const { 'if-match': mark, 'if-none-match': none } = headers;
  if (none !== undefined && none !== '*')
    throw new FileRefusal(400, "If-None-Match: must be '*', for what is to be new");
  if (none !== undefined && (await files.lstat(path).catch(() => null)) !== null)
    throw new FileRefusal(412, 'path: something has this name; send it without If-None-Match to replace it');
  if (mark === undefined) return;
  const now = await files.stat(path).catch(() => null);
  if (now === null || markOf(now) !== mark)
    throw new FileRefusal(412, 'path: has changed since it was read; send it without If-Match to replace it');
}

async function removeFile({ files, path, response }: Call): Promise<void> {
  await files.rm(path);
  sendDone(response);
}

async function makeFolder({ files, path, response }: Call): Promise<void> {
  await files.mkdir(path);
  sendDone(response);
}

async function removeFolder({ files, path, response }: Call): Promise<void> {
  await files.rm(path, { recursive: true });
  sendDone(response);
}

function sendDone(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(204, { ...HEADERS, ...headers });
  response.end();
}

/** A file may grow while it is read, and a body need not say its length. */
async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > FILE_BYTES_MAX) throw tooLarge(sizeBytes);
    yield chunk;
  }
}

function tooLarge(sizeBytes: number): FileRefusal {
  const size = `${Math.ceil(sizeBytes / MIB)} MiB`;
  return new FileRefusal(413, `size: must be at most ${FILE_BYTES_MAX / MIB} MiB; got ${size} or more`);
}
