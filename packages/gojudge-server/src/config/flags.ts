/** go-judge's flags and environment variables: one table, read in the order default, environment, flag. */
import { nearestName } from '@sbx/core';
import { parseBool, parseDurationMs, parseList, parseSize } from './units.js';

type Kind = 'string' | 'bool' | 'size' | 'duration' | 'int' | 'list';
export type FlagValue = string | boolean | number | string[];

interface Flag {
  kind: Kind;
  usage: string;
}

/** `ignored`: accepted so that start lines work; docs/protocols/gojudge.md says why each has no effect. */
export const FLAGS: Readonly<Record<string, Flag>> = {
  'http-addr': { kind: 'string', usage: 'address of the HTTP interface' },
  'enable-grpc': { kind: 'bool', usage: 'not supported: refused when true' },
  'grpc-addr': { kind: 'string', usage: 'ignored' },
  'grpc-msg-size': { kind: 'size', usage: 'ignored' },
  'monitor-addr': { kind: 'string', usage: 'address of metrics and health' },
  'auth-token': { kind: 'string', usage: 'bearer token that requests must bring' },
  'enable-debug': { kind: 'bool', usage: 'a log line for each request, and the monitor address' },
  'enable-metrics': { kind: 'bool', usage: 'Prometheus metrics at the monitor address' },
  release: { kind: 'bool', usage: 'JSON logs' },
  silent: { kind: 'bool', usage: 'no logs' },
  parallelism: { kind: 'int', usage: 'requests run at the same time' },
  'pre-fork': { kind: 'int', usage: 'sandboxes made at the start' },
  cpuset: { kind: 'list', usage: 'CPUs, one entry per worker' },
  dir: { kind: 'string', usage: 'folder of stored files' },
  'file-timeout': { kind: 'duration', usage: 'age at which stored files go' },
  'src-prefix': { kind: 'list', usage: 'folders that src may name files in; without it none but /dev/null' },
  'time-limit-checker-interval': {
    kind: 'duration',
    usage: 'with -compat strict alone: limits have timers else',
  },
  'extra-memory-limit': { kind: 'size', usage: 'added to memoryLimit' },
  'output-limit': { kind: 'size', usage: 'largest file a program may write' },
  'copy-out-limit': { kind: 'size', usage: 'default of copyOutMax' },
  'copy-out-total': {
    kind: 'size',
    usage: 'bytes that all files and outputs of a request bring out together',
  },
  'open-file-limit': { kind: 'int', usage: 'open descriptors of a process' },
  'enable-cpu-rate': { kind: 'bool', usage: 'honour cpuRateLimit' },
  'cpu-cfs-period': { kind: 'duration', usage: 'ignored: 100 ms' },
  'cgroup-prefix': { kind: 'string', usage: 'ignored: groups are found and named by the engine' },
  'no-fallback': { kind: 'bool', usage: 'exit where cgroups cannot enforce limits' },
  'container-cred-start': { kind: 'int', usage: 'above 0: programs see the uid of mount.yaml, else 0' },
  'mount-conf': { kind: 'string', usage: 'mount.yaml' },
  root: { kind: 'string', usage: '`minimal` or `minimal:gcc,libc6-dev`: these packages alone of the host' },
  'tmp-fs-param': { kind: 'string', usage: 'data of the built-in tmpfs mounts' },
  'seccomp-conf': { kind: 'string', usage: 'seccomp.yaml' },
  'net-share': { kind: 'bool', usage: 'not supported: refused when true' },
  'container-init-path': { kind: 'string', usage: 'ignored' },
  'force-gc-target': { kind: 'size', usage: 'growth after which unused memory is given back' },
  'force-gc-interval': { kind: 'duration', usage: 'how often that is looked at; 0: never' },
  version: { kind: 'bool', usage: 'print the version and exit' },
  // Ours.
  compat: { kind: 'string', usage: '`strict`: literal go-judge where a deviation can be observed' },
  'advertise-version': { kind: 'string', usage: 'buildVersion of /version, for clients that compare it' },
  'allow-origin': {
    kind: 'list',
    usage: 'origins of web pages that may connect; without it, on loopback, those of this machine',
  },
  'allow-host': { kind: 'list', usage: 'names that requests may call this server by; without it all' },
  'store-max-size': { kind: 'size', usage: 'bytes of all stored files' },
  'store-max-count': { kind: 'int', usage: 'number of stored files' },
  'body-max-size': { kind: 'size', usage: 'bytes of a request' },
  'receive-total': {
    kind: 'size',
    usage: 'bytes of all messages and bodies of no known size that have not come whole',
  },
  'request-total': {
    kind: 'size',
    usage: 'bytes of all large requests that wait or run; beyond, they are not read',
  },
  'answer-total': { kind: 'size', usage: 'bytes of all answers that clients have not taken' },
  'collect-max-size': { kind: 'size', usage: 'bytes kept of one collector or proxy, whatever its max' },
};

/** Wrong use of a flag: a message, exit 1. */
export class FlagError extends Error {
  override name = 'FlagError';
}

/**
 * Throws `FlagError`, also for a word that is no flag: go-judge stops reading there, so that `-auth-token` of
 * `-enable-metrics true -auth-token x` would be lost. `'help'` when help was asked for.
 */
export function readFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Map<string, FlagValue> | 'help' {
  const values = readEnvironment(env);
  for (let index = 0; index < args.length; index += 1) {
    const match = /^--?([^=]*)(?:=(.*))?$/s.exec(args[index]!);
    if (match === null || /^--?$/.test(match[0])) {
      if (match?.[0] === '--' && index === args.length - 1) break;
      throw new FlagError(unexpected(args, index));
    }
    const name = match[1]!;
    if (/^(-|$)/.test(name)) throw new FlagError(`bad flag syntax: ${match[0]}`);
    if (name === 'h' || name === 'help') return 'help';
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name]! : null;
    if (flag === null) throw new FlagError(`flag provided but not defined: -${name}${meant(name)}`);
    let text = match[2];
    if (text === undefined && flag.kind === 'bool') text = 'true';
    if (text === undefined) text = args[++index];
    if (text === undefined) throw new FlagError(`flag needs an argument: -${name}`);
    const wrong = `invalid value ${JSON.stringify(text)} for flag -${name}`;
    values.set(name, parseValue(flag.kind, text, wrong));
  }
  return values;
}

/** The word before says what was meant; one behind the token may be a part of it. */
function unexpected(args: readonly string[], index: number): string {
  const name = /^--?([^=]*)/.exec(args[index - 1] ?? '')?.[1] ?? '';
  const word = args[index]!;
  if (/^--?auth-token(=|$)/.test(args[index - 1] ?? '') || /^--?auth-token$/.test(args[index - 2] ?? '')) {
    return 'unexpected argument after -auth-token; quote a token that has blanks';
  }
  const isBool = Object.hasOwn(FLAGS, name) && FLAGS[name]!.kind === 'bool';
  if (isBool && parseBool(word) !== null) {
    return `unexpected argument \`${word}\`; write \`-${name}\` or \`-${name}=${word}\``;
  }
  return `unexpected argument ${JSON.stringify(word)}; every argument is a flag, as -name=value or -name value`;
}

function meant(name: string): string {
  const near = nearestName(name, Object.keys(FLAGS));
  return near === null ? '' : ` (did you mean -${near}?)`;
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>): Map<string, FlagValue> {
  const values = new Map<string, FlagValue>();
  for (const [name, { kind }] of Object.entries(FLAGS)) {
    const text = env[variableOf(name)];
    if (text === undefined || text === '') continue;
    const wrong = `load config failed: ${variableOf(name)}: invalid value ${JSON.stringify(text)}`;
    values.set(name, parseValue(kind, text, wrong));
  }
  return values;
}

/** `file-timeout` → `ES_FILE_TIMEOUT`. */
export function variableOf(name: string): string {
  return `ES_${name.toUpperCase().replaceAll('-', '_')}`;
}

const RULES: Readonly<Record<Kind, string>> = {
  string: 'a text',
  bool: 'true or false',
  size: 'a size, like 64k, 256m or 8g',
  duration: 'a duration with a unit, like 30s',
  int: 'a whole number',
  list: 'a list, like a,b',
};

function parseValue(kind: Kind, text: string, wrong: string): FlagValue {
  const value = parseKind(kind, text);
  if (value === null) throw new FlagError(`${wrong}: must be ${RULES[kind]}`);
  return value;
}

function parseKind(kind: Kind, text: string): FlagValue | null {
  switch (kind) {
    case 'string':
      return text;
    case 'list':
      return parseList(text);
    case 'bool':
      return parseBool(text);
    case 'size':
      return parseSize(text);
    case 'duration':
      return parseDurationMs(text);
    case 'int':
      return /^[+-]?\d+$/.test(text) ? Number(text) : null;
  }
}
