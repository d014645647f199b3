/** `sbx run python3 -c …`: a program of the sandbox, given as if it were a file of the host. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';

const RUNNERS = [['run'], ['fifo', 'run']];

/** How to write what was probably meant; `null` when that is not a program without its `--`. */
export function programHint(root: Command, argv: readonly string[]): string | null {
  const names = RUNNERS.find((runner) => runner.every((name, index) => argv[index] === name));
  if (names === undefined || argv.includes('--')) return null;
  const command = names.reduce((at, name) => at.commands.find((each) => each.name() === name)!, root);
  const at = firstOperand(command, argv, names.length);
  const name = argv[at];
  // A word with a slash or an extension is a path that is wrong, not a program.
  if (name === undefined || at + 1 === argv.length || !/^[\w+-]+(\.\d+)?$/.test(name) || existsSync(name))
    return null;
  const words = ['sbx', ...argv.slice(0, at), '--', ...argv.slice(at)].map(quoted);
  return `To run a program of the sandbox with its own options, put -- before it: ${words.join(' ')}`;
}

/** Past the options of ours and their values. */
function firstOperand(command: Command, argv: readonly string[], from: number): number {
  let at = from;
  while (at < argv.length && argv[at]!.startsWith('-')) {
    const option = command.options.find(({ short, long }) => [short, long].includes(argv[at]));
    at += option?.required === true ? 2 : 1;
  }
  return at;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
