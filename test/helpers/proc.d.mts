export interface ProcessRow {
  pid: number;
  parent: number;
  name: string;
  state: string;
  uid: number;
  /** User + system time in clock ticks. */
  ticks: number;
  /** Process namespaces that it is in, as seen from ours: 1 is ours alone. */
  depth: number;
}
export interface ThreadRow extends ProcessRow {
  /** How often it has gone to sleep. */
  sleeps: number;
  /** How often it has been taken off its CPU. */
  preemptions: number;
}
export declare const UID_SPAN: number;
export declare function readOrNull(path: string): string | null;
export declare function listProcesses(): ProcessRow[];
export declare function listThreads(): ThreadRow[];
export declare function descendants(ancestor?: number): ProcessRow[];
export declare function processesOfUids(uidBase: number | null): ProcessRow[];
export declare function openDescriptors(pid?: number | 'self'): Map<number, string>;
export declare function residentBytes(): number;
export declare function cgroupFolders(pid?: number): string[];
