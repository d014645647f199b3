/** Options of the servers that read their own command line: their packages list them. */
import { listCommandFlags as gojudgeFlags } from '@sbx/gojudge-server/command-flags';
import { listCommandFlags as mcpFlags } from '@sbx/mcp/command-flags';
import { CLUSTER_FLAGS } from '../cluster/split.js';
import type { CompletedCommand, CompletedOption } from './tree.js';

const FLAGS = new Map([
  ['serve gojudge', [...gojudgeFlags(), ...CLUSTER_FLAGS]],
  ['serve mcp', mcpFlags().map((one) => ({ ...one, takesValue: one.value !== null }))],
]);

/** The commands, those of such servers with all their options. */
export function withOwnReaders(commands: readonly CompletedCommand[]): CompletedCommand[] {
  return commands.map((command) => {
    const flags = FLAGS.get(command.path);
    return flags === undefined ? command : { ...command, options: flags.map(completedOption) };
  });
}

function completedOption(one: { flag: string; takesValue: boolean; description: string }): CompletedOption {
  return { words: [one.flag], takesValue: one.takesValue, choices: [], description: one.description };
}
