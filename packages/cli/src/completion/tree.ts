/**
 * The commands as commander has them, flattened for the generators of shell scripts: nothing is listed a
 * second time.
 */
import type { Command, Option } from 'commander';

export interface CompletedOption {
  /** As typed, the long form last: `-e`, `--env`. */
  words: readonly string[];
  takesValue: boolean;
  choices: readonly string[];
  description: string;
}

export interface CompletedCommand {
  /** Words after `sbx`, joined by blanks: `serve fathom`; empty for `sbx` itself. */
  path: string;
  /** Names that can follow: commands, or the values of an argument that has a fixed list. */
  names: readonly { name: string; description: string; isCommand: boolean }[];
  options: readonly CompletedOption[];
}

export function completedCommands(command: Command, path = ''): CompletedCommand[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const own = {
    path,
    names: [
      ...children.map((child) => ({
        name: child.name(),
        description: child.summary() || child.description(),
        isCommand: true,
      })),
      ...choices.map((name) => ({ name, description: name, isCommand: false })),
    ],
    options: help.visibleOptions(command).map(completedOption),
  };
  const below = children
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => completedCommands(child, `${path} ${child.name()}`.trim()));
  return [own, ...below];
}

export function completedOption(option: Option): CompletedOption {
  return {
    words: [option.short, option.long].filter((word) => word !== undefined),
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    description: option.description,
  };
}

/** `path:name` of every command below `sbx`, with the path that it leads to. */
export function steps(commands: readonly CompletedCommand[]): { from: string; to: string }[] {
  return commands.flatMap(({ path, names }) =>
    names
      .filter(({ name, isCommand }) => isCommand && name !== 'help')
      .map(({ name }) => ({ from: `${path}:${name}`, to: `${path} ${name}`.trim() })),
  );
}

/** `path:--option` of every option whose next word is its value. */
export function valueOptions(commands: readonly CompletedCommand[]): string[] {
  return commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ words }) => words.map((word) => `${path}:${word}`)),
  );
}

/** The options that take one of a fixed list of values. */
export function choiceOptions(
  commands: readonly CompletedCommand[],
): { keys: readonly string[]; choices: readonly string[] }[] {
  return commands.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ words, choices }) => ({ keys: words.map((word) => `${path}:${word}`), choices })),
  );
}

/** The words of an option that are offered: its long forms, or the short one where it has no other. */
export function offeredWords({ words }: CompletedOption): readonly string[] {
  const long = words.filter((word) => word.startsWith('--'));
  return long.length > 0 ? long : words;
}

/** A word in single quotes, for all three shells. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", '’').replaceAll('\\', '/')}'`;
}
