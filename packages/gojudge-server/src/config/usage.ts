/** What `-h` prints: a flag a line, with its default as the options have it. */
import { parseOptions } from '../options.js';
import { FLAGS } from './flags.js';
import { SAME } from './from-flags.js';

/** Of flags that are no option. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'mount-conf': 'mount.yaml, where it is there',
  'seccomp-conf': 'seccomp.yaml, where it is there',
  root: 'host',
};

const VALUES: Readonly<Record<string, string>> = {
  string: ' <text>',
  bool: '',
  size: ' <size>',
  duration: ' <time>',
  int: ' <count>',
  list: ' <a,b,…>',
};

const COLUMN = 38;

export function usage(): string {
  const options = parseOptions({}) as unknown as Record<string, unknown>;
  const lines = Object.entries(FLAGS).map(([name, { kind, usage: text }]) => {
    const option = SAME[name];
    const value = option === undefined ? DEFAULTS[name] : defaultText(kind, options[option]);
    const flag = `  -${name}${VALUES[kind]}`.padEnd(COLUMN);
    return `${flag} ${text}${value === undefined ? '' : ` (default ${value})`}`;
  });
  return `Usage of sbx-gojudge:\n${lines.join('\n')}\n\nSizes as 64k, 256m, 8g; times as 500ms, 30m. Each flag is a variable too: -file-timeout is ES_FILE_TIMEOUT.\n`;
}

/** `undefined` where off, none or empty is the default: the text says what giving it does. */
function defaultText(kind: string, value: unknown): string | undefined {
  if (value === null || value === false || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',');
  if (kind === 'size') return sizeText(Number(value));
  return kind === 'duration' ? (value === 0 ? 'never' : `${value}ms`) : String(value);
}

function sizeText(bytes: number): string {
  const units = ['', 'k', 'm', 'g'];
  let unit = 0;
  let left = bytes;
  while (left > 0 && left % 1024 === 0 && unit < units.length - 1) [left, unit] = [left / 1024, unit + 1];
  return `${left}${units[unit]}`;
}
