/** Messages of zygote, keepers and inits, as the addon passes them on. */
import type { EndedReport, FailedReport, ReadyReport, SocketReport, StartedReport } from './records.js';

export interface FailedMessage extends Omit<FailedReport, 'errorNumber'> {
  errno: number;
  /** The stage in words that go on after "could not". */
  stageText: string;
}

export type ReadyMessage = ReadyReport;

/** Init's last message about one program. */
export type EndedMessage = Omit<EndedReport, 'outputCount'>;

export type ReportedOutput = Uint8Array | number | null;

export type HelperMessage =
  | ReadyMessage
  | FailedMessage
  | StartedReport
  | EndedMessage
  | SocketReport
  | { kind: 'closed' };
