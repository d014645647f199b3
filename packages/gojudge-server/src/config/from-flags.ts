/** Flags to options. */
import { resolve } from 'node:path';
import { parseRoot } from '@sbx/serving';
import type { GojudgeServerOptions } from '../options.js';
import type { SpareMemoryOptions } from '../process/spare-memory.js';
import { ConfigError } from './config-error.js';
import { type Read, readMountConf, readSeccompConf } from './files.js';
import type { FlagValue } from './flags.js';

export interface Command {
  options: GojudgeServerOptions;
  memoryOptions: SpareMemoryOptions;
  /** Said once at the start. */
  warnings: string[];
  /** Those that were there. */
  configFiles: { flag: string; path: string }[];
}

/** Flags whose value is an option's as it is. */
export const SAME: Readonly<Record<string, keyof GojudgeServerOptions>> = {
  'http-addr': 'httpAddr',
  'monitor-addr': 'monitorAddr',
  'enable-debug': 'enableDebug',
  'enable-metrics': 'enableMetrics',
  'auth-token': 'authToken',
  parallelism: 'parallelism',
  'pre-fork': 'preFork',
  cpuset: 'cpuSets',
  dir: 'dir',
  'file-timeout': 'fileTimeoutMs',
  'src-prefix': 'srcPrefix',
  'extra-memory-limit': 'extraMemoryBytes',
  'output-limit': 'outputLimitBytes',
  'copy-out-limit': 'copyOutLimitBytes',
  'copy-out-total': 'copyOutTotalBytes',
  'open-file-limit': 'openFileLimit',
  'enable-cpu-rate': 'enableCpuRate',
  'time-limit-checker-interval': 'timeLimitCheckerIntervalMs',
  'container-cred-start': 'containerCredStart',
  'no-fallback': 'noFallback',
  'tmp-fs-param': 'tmpFsParam',
  compat: 'compat',
  'advertise-version': 'advertiseVersion',
  'allow-origin': 'allowedOrigins',
  'allow-host': 'allowedHosts',
  'store-max-size': 'storeMaxBytes',
  'store-max-count': 'storeMaxCount',
  'body-max-size': 'bodyMaxBytes',
  'receive-total': 'receiveTotalBytes',
  'request-total': 'requestTotalBytes',
  'answer-total': 'answerTotalBytes',
  'collect-max-size': 'collectMaxBytes',
};

/** What is said of an option that is wrong, as of the flag that it came from. */
export function toldOfFlags(message: string): string {
  return message.replace(/^options\.(\w+)(\[\d+\])?/, (told, option) => {
    const [flag] = Object.entries(SAME).find(([, name]) => name === option) ?? [];
    return flag === undefined ? told : `-${flag}`;
  });
}

/**
 * Accepted for the sake of start lines; `net-share` and `enable-grpc` would silently not do what they
 * promise.
 */
const REFUSED: Readonly<Record<string, string>> = {
  'enable-grpc': 'gRPC is not supported; REST and WebSocket are',
  'net-share': 'sandboxes never share the network of the host',
};

interface ConfigFile {
  option: keyof GojudgeServerOptions;
  /** Read where no flag names another. */
  path: string;
  read(path: string): Promise<Read<unknown>>;
  /** What is so without it. */
  without: string;
}

const CONFIG_FILES: Readonly<Record<string, ConfigFile>> = {
  'mount-conf': {
    option: 'mountConf',
    path: 'mount.yaml',
    read: readMountConf,
    without: 'the built-in mounts are used',
  },
  'seccomp-conf': {
    option: 'seccomp',
    path: 'seccomp.yaml',
    read: readSeccompConf,
    without: 'the built-in filter is used alone',
  },
};

function rootFrom(text: string): GojudgeServerOptions['root'] {
  const root = parseRoot(text);
  if (root !== null) return root;
  throw new ConfigError(`-root: must be host, minimal or minimal:PACKAGE,…; got ${JSON.stringify(text)}`);
}

/** Rejects with `ConfigError`. `isInit`: as in a container image, all addresses are listened on. */
export async function commandFrom(flags: ReadonlyMap<string, FlagValue>, isInit: boolean): Promise<Command> {
  for (const [name, reason] of Object.entries(REFUSED)) {
    if (flags.get(name) === true) throw new ConfigError(`-${name}: ${reason}`);
  }
  const options: Record<string, unknown> = isInit ? { httpAddr: ':5050', monitorAddr: ':5052' } : {};
  for (const [flag, value] of flags) {
    const option = SAME[flag];
    if (option !== undefined) options[option] = value;
  }
  if (options.dir === '') options.dir = null;
  const tickMs = options.timeLimitCheckerIntervalMs as number | undefined;
  if (tickMs !== undefined) options.timeLimitCheckerIntervalMs = Math.max(1, tickMs);
  options.root = rootFrom((flags.get('root') as string | undefined) ?? 'host');
  const warnings: string[] = [];
  const configFiles: Command['configFiles'] = [];
  for (const [flag, { option, path: usual, read, without }] of Object.entries(CONFIG_FILES)) {
    const named = flags.get(flag) as string | undefined;
    const path = named ?? usual;
    const found = await read(path);
    options[option] = found.conf;
    warnings.push(...found.warnings);
    if (found.conf !== null) configFiles.push({ flag, path });
    else if (named) warnings.push(`-${flag}: there is no file ${resolve(path)}; ${without}`);
  }
  if (flags.get('parallelism') === 0) {
    options.parallelism = 1;
    warnings.push('parallelism 0 would leave every request waiting; 1 is used');
  }
  const memoryOptions = {
    growthBytes: flags.get('force-gc-target') as number | undefined,
    intervalMs: flags.get('force-gc-interval') as number | undefined,
  };
  return { options: options as GojudgeServerOptions, memoryOptions, warnings, configFiles };
}
