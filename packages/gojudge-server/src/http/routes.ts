/** Method and path to handler: the table of go-judge's REST interface, and its rules for what is in no row. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Judge } from '../run/run-job.js';
import { sendBadRequest, sendEmpty, sendError, sendJson, sendNotFound, sendRedirect } from './answers.js';
import type { EntryCheck } from './entry.js';
import { deleteFile, downloadFile, listFiles, uploadFile } from './files.js';
import { configJson, versionJson } from './info.js';
import { sendNoUpgrade } from './no-upgrade.js';
import { pathOf, queryOf } from './request-path.js';
import { handleRun } from './run.js';

type Handler = (
  judge: Judge,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
) => void | Promise<void>;

interface Route {
  /** As metrics name it. */
  pattern: string;
  open?: boolean;
  methods: Readonly<Record<string, Handler>>;
}

const FILE_ID = '/file/:fid';

const ROUTES: readonly Route[] = [
  { pattern: '/run', methods: { POST: handleRun } },
  {
    pattern: '/file',
    methods: {
      GET: ({ store }, _request, response) => listFiles(store, response),
      POST: ({ store }, request, response) => uploadFile(store, request, response),
    },
  },
  {
    pattern: FILE_ID,
    methods: {
      GET: ({ store }, request, response, id) => downloadFile(store, request, response, id),
      DELETE: ({ store }, _request, response, id) => deleteFile(store, response, id),
    },
  },
  {
    pattern: '/version',
    open: true,
    methods: { GET: (_judge, _request, response) => sendJson(response, 200, versionJson()) },
  },
  {
    pattern: '/config',
    open: true,
    methods: {
      GET: ({ settings, store }, _request, response) =>
        sendJson(response, 200, configJson(settings, store.dir)),
    },
  },
  { pattern: '/ws', methods: { GET: (_judge, request, response) => sendNoUpgrade(request, response) } },
  { pattern: '/stream', methods: { GET: (_judge, request, response) => sendNoUpgrade(request, response) } },
];

export interface Matched {
  /** `''` for a path in no row. */
  pattern: string;
  handler: Handler | null;
  open: boolean;
  id: string;
}

const NO_MATCH: Matched = { pattern: '', handler: null, open: false, id: '' };

/** The row for a method and path. */
export function matchRoute(method: string, path: string): Matched {
  const id = /^\/file\/([^/]+)$/.exec(path)?.[1] ?? '';
  const wanted = id === '' ? path : FILE_ID;
  const row = ROUTES.find(({ pattern }) => pattern === wanted);
  if (row === undefined || !Object.hasOwn(row.methods, method)) return NO_MATCH;
  return { pattern: row.pattern, handler: row.methods[method]!, open: row.open ?? false, id };
}

/** Answers one request. Never rejects. */
export async function route(
  judge: Judge,
  checkEntry: EntryCheck,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const { method = 'GET', url = '/' } = request;
  const path = pathOf(url);
  if (path === null) {
    sendBadRequest(response);
    return '';
  }
  const matched = matchRoute(method, path);
  try {
    if (matched.handler === null && path.length > 1 && path.endsWith('/')) {
      const shorter = path.slice(0, -1);
      if (matchRoute(method, shorter).handler !== null) {
        sendRedirect(response, method, encodePath(shorter) + queryOf(url));
        return '';
      }
    }
    const refusal = checkEntry(request);
    if (refusal === 403 || (refusal === 401 && !matched.open)) sendEmpty(response, refusal);
    else if (matched.handler === null) sendNotFound(response);
    else await matched.handler(judge, request, response, matched.id);
  } catch (error) {
    sendError(response, error, judge.settings.strict);
  }
  return matched.pattern;
}

function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}
