/**
 * The request of `/run`, `/ws` and `/stream`, and the other JSON that clients send, as Go declares it. The
 * fields are those of the wire's types: one more or less there does not compile here.
 */
import { isUtf8 } from 'node:buffer';
import type {
  CancelRequest,
  Collector,
  LocalFile,
  MemoryFile,
  PipeIndex,
  PipeMap,
  PreparedFile,
  SymlinkFile,
  WireCmd,
  WireRequest,
  WireResize,
} from '@sbx/gojudge-client/wire';
import { decodeGoUtf8 } from './go-text.js';
import { type JsonNode, parseGoJson } from './json.js';
import {
  BOOL,
  decodeAs,
  type Fields,
  INT,
  list,
  OPTIONAL_INT64,
  OPTIONAL_STRING,
  STRING,
  type StructShape,
  struct,
  UINT64,
} from './shapes.js';

/** A file of `files` or `copyIn`, form still unknown. */
export type DecodedFile = Partial<
  LocalFile & MemoryFile & PreparedFile & Collector & SymlinkFile & { streamIn: boolean; streamOut: boolean }
>;
export type DecodedCmd = Omit<Partial<WireCmd>, 'files' | 'copyIn'> & {
  files?: (DecodedFile | null)[];
  copyIn?: Map<string, DecodedFile>;
};
export type DecodedPipe = Omit<Partial<PipeMap>, 'in' | 'out'> & {
  in?: Partial<PipeIndex>;
  out?: Partial<PipeIndex>;
};
export interface DecodedRequest {
  requestId?: string;
  cmd?: DecodedCmd[];
  pipeMapping?: DecodedPipe[];
}
export type DecodedSocketRequest = DecodedRequest & Partial<CancelRequest>;

const FILE = struct<DecodedFile>('CmdFile', {
  src: OPTIONAL_STRING,
  content: OPTIONAL_STRING,
  fileId: OPTIONAL_STRING,
  name: OPTIONAL_STRING,
  max: OPTIONAL_INT64,
  symlink: OPTIONAL_STRING,
  streamIn: BOOL,
  streamOut: BOOL,
  pipe: BOOL,
});

const STRINGS = list(STRING, 'string');

const CMD = struct<WireCmd>('Cmd', {
  args: STRINGS,
  env: STRINGS,
  files: list(FILE, '*model.CmdFile', 'null'),
  tty: BOOL,
  cpuLimit: UINT64,
  realCpuLimit: UINT64,
  clockLimit: UINT64,
  memoryLimit: UINT64,
  stackLimit: UINT64,
  procLimit: UINT64,
  cpuRateLimit: UINT64,
  cpuSetLimit: STRING,
  dataSegmentLimit: BOOL,
  strictMemoryLimit: BOOL,
  addressSpaceLimit: BOOL,
  copyIn: { kind: 'map', go: 'map[string]model.CmdFile', item: FILE },
  copyOut: STRINGS,
  copyOutCached: STRINGS,
  copyOutMax: UINT64,
  copyOutDir: STRING,
  copyOutTruncate: BOOL,
});

const PIPE_INDEX = struct<PipeIndex>('PipeIndex', { index: INT, fd: INT });
const PIPE = struct<PipeMap>('PipeMap', {
  in: PIPE_INDEX,
  out: PIPE_INDEX,
  name: STRING,
  max: { ...OPTIONAL_INT64, nullable: false } as typeof INT,
  proxy: BOOL,
  disableZeroCopy: BOOL,
});

const REQUEST_FIELDS: Fields<WireRequest> = {
  requestId: STRING,
  cmd: list(CMD, 'model.Cmd'),
  pipeMapping: list(PIPE, 'model.PipeMap'),
};
const REQUEST = struct<WireRequest>('Request', REQUEST_FIELDS);
const SOCKET_REQUEST = struct<WireRequest & CancelRequest>('Request', {
  cancelRequestId: STRING,
  ...REQUEST_FIELDS,
});
const RESIZE = struct<WireResize>('Resize', {
  index: INT,
  fd: INT,
  rows: INT,
  cols: INT,
  x: INT,
  y: INT,
});

/** Throw `JsonSyntaxError` or `JsonTypeError`, with go-judge's text. */
export function decodeRequest(body: Buffer): DecodedRequest {
  return read(REQUEST, body) as DecodedRequest;
}

export function decodeSocketRequest(body: Buffer): DecodedSocketRequest {
  return read(SOCKET_REQUEST, body) as DecodedSocketRequest;
}

export function decodeResize(body: Buffer): WireResize {
  return read(RESIZE, body) as WireResize;
}

function read(shape: StructShape, body: Buffer): unknown {
  return decodeAs(shape, isUtf8(body) ? parseGoJson(body.toString('utf8')) : parseBytes(body));
}

/** Of a body that is no UTF-8: errors name its own bytes, not those that stand for them. */
function parseBytes(body: Buffer): JsonNode {
  try {
    return parseGoJson(decodeGoUtf8(body));
  } catch (error) {
    parseGoJson(body.toString('latin1'), 'latin1');
    throw error;
  }
}
