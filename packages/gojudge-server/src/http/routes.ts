/**
 * Method and path to handler: the table of go-judge's REST interface, and its rules for what is in no row.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerContext } from '../judge/run-job.js';
import { sendNoUpgrade } from '../ws/no-upgrade.js';
import type { EntryCheck, EntryHeaders } from './entry.js';
import { deleteFile, downloadFile, listFiles, uploadFile } from './handlers/files.js';
import { configJson, versionJson } from './handlers/info.js';
import { handleRun } from './handlers/run.js';
import type { RequestContext } from './request-context.js';
import { pathOf, queryOf } from './request-path.js';
import {
  badPathResponse,
  emptyResponse,
  jsonResponse,
  notFoundResponse,
  type Response,
  redirectResponse,
} from './responses.js';

/** The usual kind: one answer to what has been read whole. */
type ResponseHandler = (
  context: ServerContext,
  incoming: RequestContext,
  id: string,
) => Response | Promise<Response>;
/** Streams one way or the other, so it needs Node's own request and response. */
type StreamHandler = (
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
) => void | Promise<void>;
type Handler = { kind: 'answer'; handle: ResponseHandler } | { kind: 'stream'; handle: StreamHandler };

interface Route {
  /** As metrics name it. */
  pattern: string;
  open?: boolean;
  methods: Readonly<Record<string, Handler>>;
}

const answering = (handle: ResponseHandler): Handler => ({ kind: 'answer', handle });
const streaming = (handle: StreamHandler): Handler => ({ kind: 'stream', handle });

const FILE_ID = '/file/:fid';
const NO_UPGRADE = streaming((_judge, request, response) => sendNoUpgrade(request, response));

const ROUTES: readonly Route[] = [
  { pattern: '/run', methods: { POST: answering(handleRun) } },
  {
    pattern: '/file',
    methods: {
      GET: answering((context, asked) => listFiles(context, asked)),
      POST: streaming(uploadFile),
    },
  },
  {
    pattern: FILE_ID,
    methods: {
      GET: streaming(downloadFile),
      DELETE: answering((context, _asked, id) => deleteFile(context, id)),
    },
  },
  {
    pattern: '/version',
    open: true,
    methods: { GET: answering(({ settings }) => jsonResponse(200, versionJson(settings))) },
  },
  {
    pattern: '/config',
    open: true,
    methods: { GET: answering(({ settings, store }) => jsonResponse(200, configJson(settings, store.dir))) },
  },
  { pattern: '/ws', methods: { GET: NO_UPGRADE } },
  { pattern: '/stream', methods: { GET: NO_UPGRADE } },
];

/** The check of entry for one connection. */
type EntryOf = (headers: EntryHeaders) => ReturnType<EntryCheck>;

/** Who is to handle a request. `pattern`: of its route, `''` for a path in no row. */
export type Matched = Handler & { pattern: string; open: boolean; id: string };

/** The row for a method and path; `null` for none. */
export function matchRoute(method: string, path: string): Matched | null {
  const id = path.startsWith('/file/') ? (/^\/file\/([^/]+)$/.exec(path)?.[1] ?? '') : '';
  const wanted = id === '' ? path : FILE_ID;
  for (const { pattern, open = false, methods } of ROUTES) {
    if (pattern !== wanted) continue;
    if (!Object.hasOwn(methods, method)) return null;
    const { kind, handle } = methods[method]!;
    return { kind, handle, pattern, open, id } as Matched;
  }
  return null;
}

/** The handler for a request line, refusals and redirects included. */
export function findHandler(
  checkEntry: EntryOf,
  method: string,
  url: string,
  headers: EntryHeaders,
): Matched {
  const path = pathOf(url);
  if (path === null) return always(badPathResponse());
  const matched = matchRoute(method, path);
  if (matched === null && path.length > 1 && path.endsWith('/')) {
    const shorter = path.slice(0, -1);
    if (matchRoute(method, shorter) !== null) {
      return always(redirectResponse(method, encodePath(shorter) + queryOf(url)));
    }
  }
  return admit(checkEntry, matched, headers);
}

/**
 * The same for a path that needs no decoding; `null` where it has no row, which `findHandler` has answers to.
 */
export function findSimple(
  checkEntry: EntryOf,
  method: string,
  path: string,
  headers: EntryHeaders,
): Matched | null {
  const matched = matchRoute(method, path);
  return matched === null ? null : admit(checkEntry, matched, headers);
}

function admit(checkEntry: EntryOf, matched: Matched | null, headers: EntryHeaders): Matched {
  const refusal = checkEntry(headers);
  if (refusal === 403 || (refusal === 401 && matched?.open !== true)) {
    return always(emptyResponse(refusal), matched?.pattern);
  }
  return matched ?? always(notFoundResponse());
}

function always(answer: Response, pattern = ''): Matched {
  return { kind: 'answer', handle: () => answer, pattern, open: false, id: '' };
}

function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}
