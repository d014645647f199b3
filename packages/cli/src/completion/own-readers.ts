/** Options of the servers that read their own command line: their packages list them. */
import { listCommandFlags as gojudgeFlags } from '@sbx/gojudge-server/command-flags';
import { listCommandFlags as mcpFlags } from '@sbx/mcp/command-flags';
import { clusterOptions } from '../cluster/split.js';
import { type CompletedCommand, type CompletedOption, completedOption } from './tree.js';

const asCompleted = (flag: string, takesValue: boolean, description: string): CompletedOption => ({
  words: [flag],
  takesValue,
  choices: [],
  description,
});

const OPTIONS = new Map([
  [
    'serve gojudge',
    [
      ...gojudgeFlags().map((one) => asCompleted(one.flag, one.takesValue, one.description)),
      ...clusterOptions().map(completedOption),
    ],
  ],
  ['serve mcp', mcpFlags().map((one) => asCompleted(one.flag, one.value !== null, one.description))],
]);

/** The commands, those of such servers with all their options. */
export function withOwnReaders(commands: readonly CompletedCommand[]): CompletedCommand[] {
  return commands.map((command) => ({ ...command, options: OPTIONS.get(command.path) ?? command.options }));
}
