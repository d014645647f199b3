/** What commander hands to the commands. */
import type { LimitFlagValues } from './limit-flags.js';

export interface RunFlags extends LimitFlagValues {
  env?: string[];
  cwd?: string;
  file?: string[];
  copyOut?: string[];
  language?: string;
  toolchain?: string[];
  root?: string;
  network: 'none' | 'loopback';
  seccomp: 'default' | 'strict';
  seccompAction: 'errno' | 'kill';
  tty?: boolean;
  allowDegraded?: boolean;
  json?: boolean;
  quiet?: boolean;
  watch?: boolean;
}

export interface DoctorFlags {
  fix?: boolean;
  json?: boolean;
}

export interface LanguagesFlags {
  allowDegraded?: boolean;
  json?: boolean;
}

export interface BenchFlags {
  runs: string;
  allowDegraded?: boolean;
  json?: boolean;
}

/** What commander hands over: the shape of the sandbox as for `sbx run`, and what is of the protocol. */
export interface FifoFlags extends RunFlags {
  dir?: string;
  pipes?: boolean;
  legacy?: boolean;
  group?: string;
  grace?: string;
  giveUp?: string;
  record?: string;
}

/** Of `sbx fifo ask`. */
export interface FifoAskFlags {
  timeout?: string;
  json?: boolean;
}

/** Of `sbx serve` without a protocol. */
export interface ServeFlags {
  host?: string;
  port?: string;
  protocols?: string;
  console: boolean;
  token?: string;
  tokenFile?: string;
  allowOrigin?: string[];
  parallelism?: string;
  languages?: string;
  standby?: string;
  root?: 'host' | 'minimal';
  cluster?: string;
  tenant?: string;
  credentials?: string;
  inboxPrefix?: string;
  jetstreamDomain?: string;
  allowDegraded?: boolean;
  verbose?: boolean;
  json?: boolean;
}

/** What commander hands over. */
export interface ServeFathomFlags {
  host?: string;
  port?: string;
  token?: string;
  tokenFile?: string;
  allowOrigin?: string[];
  languages?: string;
  root?: 'host' | 'minimal';
  standby?: string;
  standbyMemory?: string;
  parallelism?: string;
  queue?: string;
  requestTotal?: string;
  answerTotal?: string;
  maxTimeout?: string;
  maxMemory?: string;
  maxOutput?: string;
  maxCode?: string;
  processes?: string;
  openFiles?: string;
  fileSize?: string;
  network?: 'none' | 'loopback';
  perConnection?: string;
  grace?: string;
  drain?: string;
  allowDegraded?: boolean;
  verbose?: boolean;
  cluster?: string;
  tenant?: string;
  credentials?: string;
  inboxPrefix?: string;
  jetstreamDomain?: string;
  json?: boolean;
}

/** Of `sbx worker`. */
export interface WorkerFlags {
  nats: string;
  credentials?: string;
  inboxPrefix?: string;
  jetstreamDomain?: string;
  slots?: string;
  languages?: string;
  labels?: string[];
  cache?: string;
  maxWall?: string;
  maxInput?: string;
  maxOutput?: string;
  drain?: string;
  metrics?: string;
  replicas?: string;
  allowDegraded?: boolean;
  verbose?: boolean;
  json?: boolean;
}

/** Of `sbx cluster status`. */
export interface ClusterStatusFlags {
  nats: string;
  credentials?: string;
  inboxPrefix?: string;
  jetstreamDomain?: string;
  json?: boolean;
}
