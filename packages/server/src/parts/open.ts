/** Opens the parts: each protocol's own server, on the common engine, under the common rules of entry. */
import { Engine, InvalidOptionsError, type Runner, type RunObserver } from '@sbx/core';
import { createFathomServer } from '@sbx/fathom-server';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { createMcpServer } from '@sbx/mcp';
import { endSlowBody } from '@sbx/serving';
import type { Protocol, ResolvedOptions } from '../options.js';
import type { Part } from './part.js';

export const FATHOM_PATH = '/fathom';
export const MCP_PATH = '/mcp';
const GOJUDGE_PATHS = new Set(['/run', '/file', '/version', '/config']);
const GOJUDGE_SOCKETS = new Set(['/ws', '/stream']);

interface Opening {
  engine: Runner;
  options: ResolvedOptions;
  observer: RunObserver;
}

const OPENERS: Readonly<Record<Protocol, (opening: Opening) => Promise<Part>>> = {
  gojudge: openGojudge,
  fathom: openFathom,
  mcp: openMcp,
};

/** Those that are wanted, in their order. Closes what it has opened when one cannot be opened. */
export async function openParts(
  engine: Runner,
  options: ResolvedOptions,
  observerOf: (protocol: Protocol) => RunObserver,
): Promise<Part[]> {
  const parts: Part[] = [];
  try {
    for (const protocol of options.protocols) {
      const opening = { engine, options, observer: observerOf(protocol) };
      parts.push(await OPENERS[protocol](opening).catch((error) => Promise.reject(placed(error, protocol))));
    }
    return parts;
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
}

/** What a part refuses of its options is named by where the caller wrote it. */
function placed(error: unknown, protocol: Protocol): unknown {
  if (!(error instanceof InvalidOptionsError)) return error;
  const { field, rule, expected, got, hint } = error;
  const place = field.replace(/^options\b/, `options.${protocol}`);
  return new InvalidOptionsError({ field: place, rule, expected, got, hint });
}

async function openGojudge({ engine, options, observer }: Opening): Promise<Part> {
  const { token, parallelism, gojudge } = options;
  const server = await createGojudgeServer({
    parallelism,
    ...gojudge,
    engine,
    token,
    observer,
    enableMetrics: true,
  });
  return {
    protocol: 'gojudge',
    languages: [],
    owns: (path) => {
      const own = path.length > 1 ? path.replace(/\/$/, '') : path;
      return GOJUDGE_PATHS.has(own) || GOJUDGE_SOCKETS.has(own) || path.startsWith('/file/');
    },
    ownsUpgrade: (path) => GOJUDGE_SOCKETS.has(path),
    handler: (request, response) => server.handler(judged(request), response),
    handleUpgrade: (request, socket, head) => server.handleUpgrade(judged(request), socket, head),
    metrics: () => server.metrics(),
    load: () => server.load(),
    close: () => server.close(),
  };
}

/** The common check has judged the origin, by rules that know `allowedOrigins` otherwise than go-judge's. */
function judged<Request extends { headers: { origin?: string | undefined } }>(request: Request): Request {
  delete request.headers.origin;
  return request;
}

/** How slowly a body may come, which go-judge's server bounds itself. */
function bounded(handler: Part['handler']): Part['handler'] {
  return (request, response) => {
    endSlowBody(request);
    handler(request, response);
  };
}

async function openFathom({ engine, options, observer }: Opening): Promise<Part> {
  const { token, allowedOrigins, logger, fathom } = options;
  const common = { engine, token, allowedOrigins, logger, observer };
  const server = await createFathomServer({ ...fathom, ...common, path: FATHOM_PATH });
  const owns = (path: string) => path === FATHOM_PATH;
  return {
    protocol: 'fathom',
    languages: server.languages,
    owns,
    ownsUpgrade: owns,
    handler: bounded(server.handler),
    handleUpgrade: server.handleUpgrade,
    metrics: () => server.metrics(),
    load: () => server.load(),
    close: () => server.close(),
  };
}

async function openMcp({ engine, options }: Opening): Promise<Part> {
  if (!(engine instanceof Engine)) throw new TypeError('options were checked'); // MCP needs sessions
  const { token, allowedOrigins, logger, mcp } = options;
  const server = await createMcpServer({ ...mcp, engine, token, allowedOrigins, logger, path: MCP_PATH });
  return {
    protocol: 'mcp',
    languages: [],
    owns: (path) => path === MCP_PATH,
    ownsUpgrade: () => false,
    handler: bounded(server.handler),
    handleUpgrade: (_request, socket) => void socket.destroy(), // none is its own
    metrics: async () => '',
    load: () => ({ active: server.load().sandboxes, waiting: 0 }),
    close: () => server.close(),
  };
}
