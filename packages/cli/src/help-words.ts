/** Asking for help in more ways than commander knows. */
import type { Command } from 'commander';

/** Commander knows `help serve`, not `help serve fathom`. */
export function nestedHelp(argv: readonly string[]): readonly string[] {
  return argv[0] === 'help' && argv.length > 2 ? [...argv.slice(1), '--help'] : argv;
}

/** Help for a command that there is not is that mistake, which has a suggestion, not help for another one. */
export function withoutUselessHelp(own: readonly string[], root: Command): readonly string[] {
  const words = own[0] === 'help' ? own.slice(1) : own;
  return namesNoCommand(words, root) ? words.filter((word) => word !== '--help' && word !== '-h') : own;
}

function namesNoCommand(words: readonly string[], root: Command): boolean {
  let command = root;
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-') || word === 'help') return false;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return true;
    command = next;
  }
  return false;
}
