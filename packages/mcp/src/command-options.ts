/** The command line of `sbx-mcp` and `sbx serve mcp`: one table for parsing, help and the page. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { McpServerOptions } from './options.js';

/** A command line that cannot be obeyed. */
export class CommandLineError extends Error {}

/** What is written after a flag, and what becomes of it. */
interface FlagRow {
  /** `undefined`: a switch. */
  value?: string;
  repeatable?: boolean;
  help: string;
  apply(text: string, flag: string): McpServerOptions;
}

const KI = 1024;
const BYTES_BY_UNIT = new Map([
  ['B', 1],
  ['KiB', KI],
  ['MiB', KI ** 2],
  ['GiB', KI ** 3],
]);
const MS_BY_UNIT = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

function withUnit(text: string, units: ReadonlyMap<string, number>, complaint: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([A-Za-z]+)$/.exec(text);
  const factor = units.get(match?.[2] ?? '');
  if (match === null || factor === undefined) throw new CommandLineError(complaint);
  return Math.round(Number(match[1]) * factor);
}

function sizeBytes(text: string, flag: string): number {
  const complaint = `--${flag}: ${JSON.stringify(text)} is not a size; write 64KiB, 256MiB or 1GiB`;
  return withUnit(text, BYTES_BY_UNIT, complaint);
}

function durationMs(text: string, flag: string): number {
  const complaint = `--${flag}: ${JSON.stringify(text)} is not a time; write 500ms, 10s or 5m`;
  return withUnit(text, MS_BY_UNIT, complaint);
}

function count(text: string, flag: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandLineError(`--${flag}: ${JSON.stringify(text)} is not a whole number`);
}

function readToken(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CommandLineError(`--token-file: ${(error as Error).message}`);
  }
  if (text === '') throw new CommandLineError(`--token-file: ${path} is empty`);
  return text;
}

/** Flags that set options; `--http`, `--verbose`, `--json` and `--help` are the command's own. */
export const FLAG_ROWS = {
  host: { value: '<address>', help: 'where to listen (default 127.0.0.1)', apply: (host) => ({ host }) },
  port: {
    value: '<number>',
    help: 'port; 0 takes a free one (default 8766)',
    apply: (text, flag) => ({ port: count(text, flag) }),
  },
  token: {
    value: '<token>',
    help: 'bearer token that clients must bring; others on this machine can see it',
    apply: (token) => ({ token }),
  },
  'token-file': {
    value: '<path>',
    help: 'file with the token, white space around it ignored',
    apply: (path) => ({ token: readToken(path) }),
  },
  'allow-origin': {
    value: '<origin>',
    repeatable: true,
    help: 'web pages that may call without a token (repeatable)',
    apply: (origin) => ({ allowedOrigins: [origin] }),
  },
  memory: {
    value: '<size>',
    help: 'memory of a sandbox where a call says nothing (default 512MiB)',
    apply: (text, flag) => ({ limits: { memoryBytes: sizeBytes(text, flag) } }),
  },
  'total-memory': {
    value: '<size>',
    help: 'memory of all sandboxes together (default half of the machine or container)',
    apply: (text, flag) => ({ memoryBytesMax: sizeBytes(text, flag) }),
  },
  sandboxes: {
    value: '<count>',
    help: 'sandboxes of all sessions together (default 16)',
    apply: (text, flag) => ({ sandboxCountMax: count(text, flag) }),
  },
  'per-session': {
    value: '<count>',
    help: 'sandboxes of one session (default 4)',
    apply: (text, flag) => ({ sandboxCountPerSession: count(text, flag) }),
  },
  sessions: {
    value: '<count>',
    help: 'HTTP sessions at once (default 64)',
    apply: (text, flag) => ({ sessionCountMax: count(text, flag) }),
  },
  'receive-total': {
    value: '<size>',
    help: 'bytes of HTTP requests being received or answered (default 512MiB)',
    apply: (text, flag) => ({ receiveTotalBytes: sizeBytes(text, flag) }),
  },
  'answer-total': {
    value: '<size>',
    help: 'bytes of answers being made, and of those not taken (default 512MiB)',
    apply: (text, flag) => ({ answerTotalBytes: sizeBytes(text, flag) }),
  },
  idle: {
    value: '<time>',
    help: 'how long an unused sandbox stays (default 10m)',
    apply: (text, flag) => ({ idleMs: durationMs(text, flag) }),
  },
  'process-time': {
    value: '<time>',
    help: 'wall time of a process that goes on between calls (default 1h)',
    apply: (text, flag) => ({ processWallTimeMs: durationMs(text, flag) }),
  },
  network: {
    value: '<kind>',
    help: 'interfaces inside: none or loopback (default none)',
    apply: (text) => ({ network: text as 'none' }),
  },
  'expose-ports': {
    help: 'let sessions give ports of sandboxes an address of this machine',
    apply: () => ({ exposePorts: true }),
  },
  'allow-degraded': {
    help: 'serve also where this machine cannot give every guarantee',
    apply: () => ({ require: [] }),
  },
} satisfies Record<string, FlagRow>;

const ROWS = new Map<string, FlagRow>(Object.entries(FLAG_ROWS));

/** Flags that only make sense where something listens. */
const HTTP_FLAGS = ['host', 'port', 'token', 'token-file', 'allow-origin', 'sessions', 'receive-total'];

const OWN_SWITCHES = {
  http: 'serve streamable HTTP instead of stdin and stdout',
  verbose: 'log sessions and sandboxes too',
  json: 'with --http, print one object on stdout when ready',
  help: 'print this',
} as const;

export interface CommandLine {
  http: boolean;
  verbose: boolean;
  json: boolean;
  help: boolean;
  options: McpServerOptions;
}

/** Throws `CommandLineError`. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args);
  const isOn = (name: string) => values.get(name) !== undefined;
  const line = { http: isOn('http'), verbose: isOn('verbose'), json: isOn('json'), help: isOn('help') };
  if (line.help) return { ...line, options: {} };
  const stray = line.http ? undefined : HTTP_FLAGS.find(isOn);
  if (stray !== undefined) throw new CommandLineError(`--${stray} needs --http: without it nothing listens`);
  if (line.json && !line.http) throw new CommandLineError('--json needs --http: stdout is the protocol’s');
  if (isOn('token') && isOn('token-file'))
    throw new CommandLineError('--token and --token-file exclude each other');
  return { ...line, options: optionsFrom(values) };
}

function parse(args: readonly string[]): Map<string, string[] | true> {
  const valued = [...ROWS].map(([name, { value }]) => [name, value !== undefined] as const);
  const own = Object.keys(OWN_SWITCHES).map((name) => [name, false] as const);
  const options = Object.fromEntries(
    [...valued, ...own].map(([name, takes]) => [
      name,
      { type: takes ? 'string' : 'boolean', multiple: takes } as const,
    ]),
  );
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    return new Map(Object.entries(values) as [string, string[] | true][]);
  } catch (error) {
    throw new CommandLineError((error as Error).message);
  }
}

function optionsFrom(values: ReadonlyMap<string, string[] | true>): McpServerOptions {
  let options: McpServerOptions = {};
  for (const [name, row] of ROWS) {
    const given = values.get(name);
    if (given === undefined) continue;
    const texts = given === true ? [''] : given;
    if (texts.length > 1 && !row.repeatable) throw new CommandLineError(`--${name} is given twice`);
    const parts = texts.map((text) => row.apply(text, name));
    const allowedOrigins = parts.flatMap((part) => part.allowedOrigins ?? []);
    options = { ...options, ...parts[0], ...(allowedOrigins.length > 0 ? { allowedOrigins } : {}) };
  }
  return options;
}

/** An option as it is typed. */
export interface CommandFlag {
  flag: string;
  /** What stands behind it; `null`: a switch. */
  value: string | null;
  description: string;
}

/** Every option of the command, in the order of its help: `--http` and so on. */
export function listCommandFlags(): CommandFlag[] {
  const rows = [...ROWS].map(([name, { value = null, help }]) => ({ name, value, help }));
  const own = Object.entries(OWN_SWITCHES).map(([name, help]) => ({ name, value: null, help }));
  return [...own.slice(0, 1), ...rows, ...own.slice(1)].map(({ name, value, help }) => ({
    flag: `--${name}`,
    value,
    description: help,
  }));
}

export function usage(command: string): string {
  const lines = listCommandFlags().map(
    ({ flag, value, description }) => `  ${`${flag} ${value ?? ''}`.trim().padEnd(24)}${description}`,
  );
  return `Usage: ${command} [options]

Serves sandboxes to a host of the Model Context Protocol over stdin and stdout, or with --http to many.

${lines.join('\n')}

Logs are JSON lines on stderr, without code, input, files, environment or token.
`;
}
