/** The server's options after defaults: what the parts work with. */
import type { WireConfig } from '@sbx/gojudge-client/wire';

export interface Settings {
  token: string | null;
  /** `null`: all. */
  allowedOrigins: readonly string[] | null;
  allowedHosts: readonly string[] | null;
  /** Run requests at the same time. */
  parallelism: number;
  /** One entry per worker, or empty. */
  cpuSets: readonly string[];
  queueLength: number;
  /** `null`: all of the host. */
  srcPrefix: readonly string[] | null;
  extraMemoryBytes: number;
  outputLimitBytes: number;
  copyOutLimitBytes: number;
  /** Of all copy-outs, collectors and proxies of a request. */
  copyOutTotalBytes: number;
  openFileLimit: number;
  enableCpuRate: boolean;
  diskBytes: number;
  diskFileCount: number;
  /** RLIMIT_STACK of this process; `null` for none. */
  ownStackBytes: number | null;
  workDir: string;
  /** Variables of every program, before its own. */
  env: readonly string[];
  /** Strict: limits of time are looked at so often, in ms. 0: they have timers. */
  tickMs: number;
  /** Literal behaviour of go-judge where a deviation of ours can be observed. */
  strict: boolean;
  /** Bounds of ours. */
  bodyMaxBytes: number;
  frameMaxBytes: number;
  cmdCountMax: number;
  /** Bytes kept of one collector or proxy, whatever its `max`. */
  collectMaxBytes: number;
  /** For `GET /version`. */
  advertiseVersion: string;
  /** For `GET /config`. */
  runnerConfig: WireConfig['runnerConfig'];
}
