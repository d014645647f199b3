/** The request of `/run`, `/ws` and `/stream`, and the other JSON that clients send, as Go declares it. */
import { decodeGoUtf8 } from './go-text.js';
import { parseGoJson } from './json.js';
import {
  BOOL,
  decodeAs,
  INT,
  list,
  OPTIONAL_INT64,
  OPTIONAL_STRING,
  STRING,
  type StructShape,
  struct,
  UINT16,
  UINT64,
} from './shapes.js';

/** A file of `files` or `copyIn`, form still unknown. */
export interface RawFile {
  src?: string;
  content?: string;
  fileId?: string;
  name?: string;
  max?: number;
  pipe?: boolean;
  symlink?: string;
  streamIn?: boolean;
  streamOut?: boolean;
}

export interface RawCmd {
  args?: string[];
  env?: string[];
  files?: (RawFile | null)[];
  tty?: boolean;
  cpuLimit?: number;
  realCpuLimit?: number;
  clockLimit?: number;
  memoryLimit?: number;
  stackLimit?: number;
  procLimit?: number;
  cpuRateLimit?: number;
  cpuSetLimit?: string;
  dataSegmentLimit?: boolean;
  strictMemoryLimit?: boolean;
  addressSpaceLimit?: boolean;
  copyIn?: Map<string, RawFile>;
  copyOut?: string[];
  copyOutCached?: string[];
  copyOutMax?: number;
  copyOutTruncate?: boolean;
}

export interface RawPipe {
  in?: { index?: number; fd?: number };
  out?: { index?: number; fd?: number };
  proxy?: boolean;
  name?: string;
  max?: number;
  disableZeroCopy?: boolean;
}

export interface RawRequest {
  requestId?: string;
  cmd?: RawCmd[];
  pipeMapping?: RawPipe[];
}

export interface RawSocketRequest extends RawRequest {
  cancelRequestId?: string;
}

export interface RawResize {
  index?: number;
  fd?: number;
  rows?: number;
  cols?: number;
}

const FILE = struct('CmdFile', {
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

const CMD = struct('Cmd', {
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

const PIPE_INDEX = struct('PipeIndex', { index: INT, fd: INT });
const PIPE = struct('PipeMap', {
  in: PIPE_INDEX,
  out: PIPE_INDEX,
  name: STRING,
  max: { ...OPTIONAL_INT64, nullable: false } as typeof INT,
  proxy: BOOL,
  disableZeroCopy: BOOL,
});

const REQUEST_FIELDS = {
  requestId: STRING,
  cmd: list(CMD, 'model.Cmd'),
  pipeMapping: list(PIPE, 'model.PipeMap'),
};
const REQUEST = struct('Request', REQUEST_FIELDS);
const SOCKET_REQUEST = struct('Request', { cancelRequestId: STRING, ...REQUEST_FIELDS });
const RESIZE = struct('Resize', { index: INT, fd: INT, rows: UINT16, cols: UINT16, x: UINT16, y: UINT16 });

/** Throw `JsonSyntaxError` or `JsonTypeError`, with go-judge's text. */
export function decodeRequest(body: Uint8Array): RawRequest {
  return read(REQUEST, body) as RawRequest;
}

export function decodeSocketRequest(body: Uint8Array): RawSocketRequest {
  return read(SOCKET_REQUEST, body) as RawSocketRequest;
}

export function decodeResize(body: Uint8Array): RawResize {
  return read(RESIZE, body) as RawResize;
}

function read(shape: StructShape, body: Uint8Array): unknown {
  return decodeAs(shape, parseGoJson(decodeGoUtf8(body)));
}
