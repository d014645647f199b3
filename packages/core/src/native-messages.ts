/** What zygote, keepers and inits say, as the addon hands it on. */

/** A step at which the helper can fail; the list is in `native/common/stage.h`. */
export type Stage = string;

export interface FailedMessage {
  kind: 'failed';
  programId: number;
  stage: Stage;
  stageText: string;
  index: number;
  errno: number;
}

export interface ReadyMessage {
  kind: 'ready';
  /** Of an init: the memory that is charged to its group now. */
  heldBytes: number | null;
  fds: number[];
}

/** Init's last word about one program. `null`: nothing could measure it. */
export interface EndedMessage {
  kind: 'ended';
  programId: number;
  waitStatus: number;
  cause: 'none' | 'cpu-limit' | 'wall-limit' | 'output-limit' | 'memory-limit' | 'killed';
  cpuNs: number | null;
  wallNs: number;
  memoryPeakBytes: number | null;
  fileCacheBytes: number | null;
  oomKillCount: number;
  taskPeak: number | null;
  taskPeakBefore: number | null;
  maxRssBytes: number;
  /** By the rows of the start, which had some: all that the file holds, `null` for nothing, or a descriptor to read it from. */
  outputs: ReportedOutput[] | undefined;
}

export type ReportedOutput = Uint8Array | number | null;

export type HelperMessage =
  | ReadyMessage
  | FailedMessage
  | { kind: 'started'; programId: number; pid: number; fds: number[] }
  | EndedMessage
  | { kind: 'closed' };
