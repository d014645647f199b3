/** A request after its forms have been checked: what is to run. Units as on the wire. */

/** Bytes for a descriptor or for copyIn. */
export type Source =
  | { kind: 'src'; path: string }
  | { kind: 'content'; text: string }
  | { kind: 'stored'; id: string };

/** `unreadable`: a collector, which passes the check of forms. */
export type CopyInSource = Source | { kind: 'symlink'; target: string } | { kind: 'unreadable' };

export interface CollectorFile {
  kind: 'collector';
  name: string;
  max: number;
  pipe: boolean;
}

/** What a descriptor becomes. */
export type ProgramFile = Source | CollectorFile | { kind: 'stream-in' } | { kind: 'stream-out' };

export interface JobLimits {
  cpuNs: number;
  /** What is enforced. */
  clockNs: number;
  /** What was asked for; 0 for nothing. */
  explicitClockNs: number;
  memoryBytes: number;
  stackBytes: number;
  processCount: number;
  /** 1000 is one CPU; 0 for none. */
  cpuRate: number;
  cpuSet: string;
  dataSegment: boolean;
  addressSpace: boolean;
}

export interface CopyOutEntry {
  /** As written, without the `?`. */
  name: string;
  optional: boolean;
  cached: boolean;
  /** Not so where another entry names the same file: of this one only errors are told. */
  returned: boolean;
}

export interface JobProgram {
  args: string[];
  env: string[];
  files: (ProgramFile | null)[];
  tty: boolean;
  limits: JobLimits;
  copyIn: [string, CopyInSource][];
  copyOut: CopyOutEntry[];
  /** Names wanted as stored files, collectors' and pipes' included. */
  cachedNames: ReadonlySet<string>;
  copyOutMax: number;
  truncate: boolean;
}

export interface JobPipe {
  writer: { index: number; fd: number };
  reader: { index: number; fd: number };
  proxy: boolean;
  /** `''` for no recording. */
  name: string;
  max: number;
}

export interface Job {
  requestId: string;
  programs: JobProgram[];
  /** Empty for a single program: its pipeMapping is not even looked at. */
  pipes: JobPipe[];
}
