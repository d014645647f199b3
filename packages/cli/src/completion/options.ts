/** `sbx completion`, as commander takes it. */
import { Argument, type Command } from 'commander';
import { EXIT } from '../exit-codes.js';
import { completionScript, SHELLS, type Shell } from './scripts.js';
import { completedCommands } from './tree.js';

export function addCompletion(root: Command, done: (exitCode: number) => void): void {
  root
    .command('completion')
    .showHelpAfterError('See: sbx help completion')
    .summary('print the script that completes commands and options in a shell')
    .description('Prints a script for the shell to load. It is made from the same tables as the help.')
    .addArgument(new Argument('<shell>', 'whose script').choices(SHELLS))
    .addHelpText('after', COMPLETION_NOTES)
    .action(async (shell: Shell) => {
      const { withOwnReaders } = await import('./own-readers.js');
      process.stdout.write(completionScript(shell, withOwnReaders(completedCommands(root))));
      done(EXIT.ok);
    });
}

const COMPLETION_NOTES = `
Examples:
  source <(sbx completion bash)                                    in ~/.bashrc
  source <(sbx completion zsh)                                     in ~/.zshrc, after compinit
  sbx completion fish > ~/.config/fish/completions/sbx.fish
`;
