/** What zygote, keepers and inits say, as the addon hands it on. */
import type { EndedNumbers, FailedNumbers, ReadyNumbers, StartedNumbers } from './native-records.js';

export interface FailedMessage extends Omit<FailedNumbers, 'errorNumber'> {
  errno: number;
  /** What is about the stage, as words that go on after "could not". */
  stageText: string;
}

export interface ReadyMessage extends ReadyNumbers {
  fds: number[];
}

/** Init's last word about one program. */
export interface EndedMessage extends Omit<EndedNumbers, 'outputCount'> {
  /** By the rows of the start, which had some: all that the file holds, `null` for nothing, or a descriptor to read it from. */
  outputs: ReportedOutput[] | undefined;
}

export type ReportedOutput = Uint8Array | number | null;

export type HelperMessage =
  | ReadyMessage
  | FailedMessage
  | (StartedNumbers & { fds: number[] })
  | EndedMessage
  | { kind: 'closed' };
