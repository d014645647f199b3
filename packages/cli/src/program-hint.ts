/**
 * What was probably meant by a command line that is wrong: `sbx run python3 -c …`, a program of the sandbox,
 * given as if it were a file of the host; `sbx main.py`; `sbx run --timeout 1s main.py`.
 */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';

const RUNNERS = [['run'], ['fifo', 'run']];

/** Names that other tools have, and that no spelling leads to. */
const FOREIGN_FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '--timeout': '--wall (real time) or --cpu (time on the CPU)',
    '--time': '--wall (real time) or --cpu (time on the CPU)',
    '--time-limit': '--wall (real time) or --cpu (time on the CPU)',
    '--cpus': '--cpu-rate (CPUs’ worth of time per second) or --cpu-set (which CPUs)',
    '--net': '--network loopback, or nothing: no option leads outside',
    '--workdir': '--cwd',
    '--volume': '--file and --copy-out for files, --toolchain for a folder of programs',
    '--mount': '--file and --copy-out for files, --toolchain for a folder of programs',
    '--lang': '--language',
    '--input': 'a redirection, < FILE: stdin is the program’s own',
    '--stdin': 'a redirection, < FILE: stdin is the program’s own',
  }),
);

/** A message of commander without its guess by spelling, where the meaning of the name is known. */
export function withoutWrongGuess(message: string): string {
  const [, flag = ''] = /unknown option '(--[\w-]+)/.exec(message) ?? [];
  return FOREIGN_FLAGS.has(flag) ? message.replace(/\n\(Did you mean .*\)/, '') : message;
}

/** How to write what was probably meant; `null` when nothing is known. */
export function programHint(root: Command, argv: readonly string[]): string | null {
  const names = RUNNERS.find((runner) => runner.every((name, index) => argv[index] === name));
  if (names === undefined) return fileHint(root, argv);
  const command = names.reduce((at, name) => at.commands.find((each) => each.name() === name)!, root);
  const at = firstOperand(command, argv, names.length);
  const name = argv[at];
  const unknown = firstUnknown(command, argv, names.length);
  const isFile = name !== undefined && existsSync(name);
  if (unknown !== null && (unknown === at || isFile)) {
    const flag = FOREIGN_FLAGS.get(argv[unknown]!.split('=')[0]!);
    if (flag !== undefined) return `Give ${flag}.`;
  }
  if (name?.startsWith('-') || argv.includes('--')) return null;
  if (unknown !== null && isFile) {
    const words = ['sbx', ...argv.slice(0, unknown), '--', ...argv.slice(unknown)].map(quoted);
    return `What is for ${name} itself goes after --: ${words.join(' ')}`;
  }
  // A word with a slash or an extension is a path that is wrong, not a program.
  if (name === undefined || at + 1 === argv.length || !/^[\w+-]+(\.\d+)?$/.test(name) || isFile) return null;
  const words = ['sbx', ...argv.slice(0, at), '--', ...argv.slice(at)].map(quoted);
  return `To run a program of the sandbox with its own options, put -- before it: ${words.join(' ')}`;
}

/** A file of the host where a command should stand. */
function fileHint(root: Command, argv: readonly string[]): string | null {
  const [name = ''] = argv;
  const isCommand = root.commands.some((command) => command.name() === name);
  return isCommand || !existsSync(name)
    ? null
    : `To run a file, write: ${['sbx', 'run', ...argv].map(quoted).join(' ')}`;
}

/** The first option that is none of ours, before any `--`. */
function firstUnknown(command: Command, argv: readonly string[], from: number): number | null {
  for (let at = from; at < argv.length && argv[at] !== '--'; at += 1) {
    if (!/^-./.test(argv[at]!)) continue;
    const next = firstOperand(command, argv, at);
    if (next === at) return at;
    at = next - 1;
  }
  return null;
}

/** Past the options of ours and their values; that of an option which is none of ours where there is one. */
function firstOperand(command: Command, argv: readonly string[], from: number): number {
  let at = from;
  while (at < argv.length && argv[at]!.startsWith('-')) {
    const [flag] = argv[at]!.split('=');
    const option = command.options.find(({ short, long }) => [short, long].includes(flag));
    if (option === undefined) break;
    at += option.required && flag === argv[at] ? 2 : 1;
  }
  return at;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
