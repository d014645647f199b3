/**
 * Shapes as on the wire of go-judge 1.12: its own names and units (nanoseconds, bytes). Used by client and
 * server; imports nothing.
 */

/** A host file of the server. */
export interface LocalFile {
  src: string;
}
/** Text. Arbitrary bytes go by `fileId`. */
export interface MemoryFile {
  content: string;
}
/** A file of the server's store. */
export interface PreparedFile {
  fileId: string;
}
/**
 * What the program writes to this descriptor, up to `max` bytes; into a file of the work folder unless
 * `pipe`.
 */
export interface Collector {
  name: string;
  max: number;
  pipe?: boolean;
}
/** copyIn only: a symbolic link to this. */
export interface SymlinkFile {
  symlink: string;
}
/** `/stream` only: input from the connection. */
export interface StreamIn {
  streamIn: true;
}
/** `/stream` only: output to the connection. */
export interface StreamOut {
  streamOut: true;
}

/** Entry of `files`; `null` is filled by `pipeMapping`. */
export type WireFile = LocalFile | MemoryFile | PreparedFile | Collector | StreamIn | StreamOut | null;
/** Entry of `copyIn`. */
export type WireCopyIn = LocalFile | MemoryFile | PreparedFile | SymlinkFile;

/** One program. Numbers are integers; 0 and absent are the same. */
export interface WireCmd {
  args: string[];
  /** The whole environment, `K=V`. */
  env?: string[];
  /** Entry i is descriptor i. */
  files?: WireFile[];
  tty?: boolean;
  /** CPU time in ns; 0 is no time at all. */
  cpuLimit?: number;
  /** Old name of `clockLimit`; wins over it. */
  realCpuLimit?: number;
  /** Wall time in ns; 0: as `cpuLimit`. */
  clockLimit?: number;
  /** Bytes; 0 is no memory at all. */
  memoryLimit?: number;
  /** Bytes; 0: the server's own. */
  stackLimit?: number;
  /** Processes and threads; 0 is no second one. */
  procLimit?: number;
  /** 1000 is one CPU. */
  cpuRateLimit?: number;
  cpuSetLimit?: string;
  dataSegmentLimit?: boolean;
  /** Old name of `dataSegmentLimit`. */
  strictMemoryLimit?: boolean;
  addressSpaceLimit?: boolean;
  copyIn?: Record<string, WireCopyIn>;
  /** A trailing `?` makes the entry optional. */
  copyOut?: string[];
  copyOutCached?: string[];
  /** Bytes per file; 0: the server's own. */
  copyOutMax?: number;
  copyOutTruncate?: boolean;
  /** Accepted and ignored. */
  copyOutDir?: string;
}

/** A descriptor of a cmd. */
export interface PipeIndex {
  index: number;
  fd: number;
}

/** `in` writes, `out` reads. */
export interface PipeMap {
  in: PipeIndex;
  out: PipeIndex;
  proxy?: boolean;
  name?: string;
  max?: number;
  disableZeroCopy?: boolean;
}

/** Programs that run together; `requestId` for `/ws`. */
export interface WireRequest {
  requestId?: string;
  cmd: WireCmd[];
  pipeMapping?: PipeMap[];
}

/** On `/ws`: ends a request. */
export interface CancelRequest {
  cancelRequestId: string;
}

/** Every status that is produced. */
export const WIRE_STATUSES = [
  'Accepted',
  'Memory Limit Exceeded',
  'Time Limit Exceeded',
  'Output Limit Exceeded',
  'File Error',
  'Nonzero Exit Status',
  'Signalled',
  'Dangerous Syscall',
  'Internal Error',
] as const;
/** One of `WIRE_STATUSES`. */
export type WireStatus = (typeof WIRE_STATUSES)[number];

/** Every type of file error. */
export const FILE_ERROR_TYPES = [
  'CopyInOpenFile',
  'CopyInCreateDir',
  'CopyInCreateFile',
  'CopyInCopyContent',
  'CopyOutOpen',
  'CopyOutNotRegularFile',
  'CopyOutSizeExceeded',
  'CopyOutCreateFile',
  'CopyOutCopyContent',
  'CollectSizeExceeded',
  'Symlink',
] as const;
/** One of `FILE_ERROR_TYPES`. */
export type FileErrorType = (typeof FILE_ERROR_TYPES)[number];

/** A file that could not be put in, taken out or collected. */
export interface WireFileError {
  name: string;
  type: FileErrorType;
  message?: string;
}

/** How one cmd ended. */
export interface WireResult {
  status: WireStatus;
  /** Exit code, or number of the signal. */
  exitStatus: number;
  error?: string;
  /** CPU time in ns. */
  time: number;
  /** Peak in bytes. */
  memory: number;
  /** Wall time in ns. */
  runTime: number;
  procPeak?: number;
  files?: Record<string, string>;
  fileIds?: Record<string, string>;
  fileError?: WireFileError[];
}

/** Answer on `/ws`, and without `error` on `/stream`. */
export interface WireSocketResult {
  requestId: string;
  results: WireResult[] | null;
  error?: string;
}

/** Terminal size of the `streamIn` at index and fd. */
export interface WireResize {
  index?: number;
  fd?: number;
  rows?: number;
  cols?: number;
  x?: number;
  y?: number;
}

/** Of `GET /version` and `GET /config`. */
export interface WireFeatures {
  addressSpaceLimit: boolean;
  copyOutOptional: boolean;
  copyOutTruncate: boolean;
  fixSymlinkEscape: boolean;
  pipeProxy: boolean;
  pipeProxyZeroCopy: boolean;
  procPeak: boolean;
  stream: boolean;
  symlink: boolean;
}

/** Answer of `GET /version`. */
export interface WireVersion extends WireFeatures {
  buildVersion: string;
  goVersion: string;
  os: string;
  platform: string;
}

/** A mount, in the words of mount(2). */
export interface WireMount {
  Source: string;
  Target: string;
  FsType: string;
  Data: string;
  Flags: number;
}

/** Answer of `GET /config`. */
export interface WireConfig extends WireFeatures {
  fileStorePath: string;
  runnerConfig: {
    /** 0 none, 1 v1, 2 v2. */
    cgroupType: number;
    cgroupControllers: string[];
    mount: WireMount[] | null;
    symbolicLink: { LinkPath: string; Target: string }[] | null;
    maskedPaths: string[] | null;
    hostName: string;
    domainName: string;
    workDir: string;
    uid: number;
    gid: number;
    clone3?: boolean;
  };
}
