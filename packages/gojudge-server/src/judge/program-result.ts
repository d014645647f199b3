/** How one program of a request ended, before it is written for the wire. */
import type { FileErrorType, WireFileError, WireStatus } from '@sbx/gojudge-client/wire';

export interface ProgramResult {
  status: WireStatus;
  exitStatus: number;
  error: string;
  timeNs: number;
  memoryBytes: number;
  runTimeNs: number;
  /** 0 when it is not to be told. */
  processPeak: number;
  files: Map<string, Uint8Array>;
  fileIds: Map<string, string>;
  fileErrors: WireFileError[];
}

/** Files and outputs that were collected after the end. */
export interface CollectedFiles {
  files: Map<string, Uint8Array>;
  fileIds: Map<string, string>;
  fileErrors: WireFileError[];
  /**
   * First failure that turns a clean exit into `Output Limit Exceeded` or `File Error`; one to open a file
   * counts last.
   */
  failure: { status: 'Output Limit Exceeded' | 'File Error'; error: string; isOpening: boolean } | null;
}

export function nothingCollected(): CollectedFiles {
  return { files: new Map(), fileIds: new Map(), fileErrors: [], failure: null };
}

/** Notes a problem with a file. */
export function noteFileError(
  collected: CollectedFiles,
  name: string,
  type: FileErrorType,
  message: string,
): void {
  collected.fileErrors.push({ name, type, message });
  const status = type === 'CollectSizeExceeded' ? 'Output Limit Exceeded' : 'File Error';
  const isOpening = type === 'CopyOutOpen';
  if (collected.failure === null || (collected.failure.isOpening && !isOpening)) {
    collected.failure = { status, error: message, isOpening };
  }
}

/** It was not started. */
export function notStarted(
  status: WireStatus,
  error: string,
  collected: CollectedFiles = nothingCollected(),
): ProgramResult {
  const { files, fileIds, fileErrors } = collected;
  return {
    status,
    exitStatus: 0,
    error,
    timeNs: 0,
    memoryBytes: 0,
    runTimeNs: 0,
    processPeak: 0,
    files,
    fileIds,
    fileErrors,
  };
}
