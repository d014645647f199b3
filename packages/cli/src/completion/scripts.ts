/**
 * The completion scripts. Each follows the words of the line to a command, then offers its names, options or
 * values.
 */
import { type CompletedCommand, choiceOptions, offeredWords, quoted, steps, valueOptions } from './tree.js';

export type Shell = 'bash' | 'zsh' | 'fish';

export const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return SCRIPTS[shell](commands);
}

const patterns = (keys: readonly string[]) => keys.map(quoted).join(' | ');

/** The loop over the words before the cursor; bash and zsh share its grammar. */
function followWords(commands: readonly CompletedCommand[]): string {
  return `    if [[ -n $skip ]]; then skip=''; continue; fi
    [[ $word == -- ]] && { is_program=1; break; }
    case "$command:$word" in
      ${patterns(valueOptions(commands))}) skip=1 ;;
${steps(commands)
  .map(({ from, to }) => `      ${quoted(from)}) command=${quoted(to)} ;;`)
  .join('\n')}
    esac`;
}

interface Offer {
  word: string;
  description: string;
}

const optionsOf = ({ options }: CompletedCommand): Offer[] =>
  options.flatMap((one) => offeredWords(one).map((word) => ({ word, description: one.description })));

const namesOf = ({ names }: CompletedCommand): Offer[] =>
  names.map(({ name, description }) => ({ word: name, description }));

/** What each command offers, as the branches of a `case`; `list` writes it as the shell wants it. */
function branches(
  commands: readonly CompletedCommand[],
  offersOf: (command: CompletedCommand) => Offer[],
  list: (offers: readonly Offer[]) => string,
): string {
  return commands
    .map((command) => ({ path: command.path, offers: offersOf(command) }))
    .filter(({ offers }) => offers.length > 0)
    .map(({ path, offers }) => `      ${quoted(path)}) offered=${list(offers)} ;;`)
    .join('\n');
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const choices = choiceOptions(commands).map(
    ({ keys, choices }) => `    ${patterns(keys)}) offered=${quoted(choices.join(' '))}; is_value=1 ;;`,
  );
  const values = `    ${patterns(valueOptions(commands))}) return ;;`;
  const list = (offers: readonly Offer[]) => quoted(offers.map(({ word }) => word).join(' '));
  return `# bash completion of sbx, made by: sbx completion bash
_sbx() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' offered='' word skip='' is_program='' is_value=''
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${followWords(commands)}
  done
  [[ -n $is_program ]] && return # arguments of the program are files to us
  case "$command:$previous" in
${[...choices, values].join('\n')}
  esac
  if [[ -z $is_value && $current == -* ]]; then
    case $command in
${branches(commands, optionsOf, list)}
    esac
  elif [[ -z $is_value ]]; then
    case $command in
${branches(commands, namesOf, list)}
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$current")
}
complete -o bashdefault -o default -F _sbx sbx
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const list = (offers: readonly Offer[]) =>
    `(${offers.map(({ word, description }) => quoted(`${word}:${description}`)).join(' ')})`;
  const choices = choiceOptions(commands).map(
    ({ keys, choices }) => `    ${patterns(keys)}) compadd -- ${choices.map(quoted).join(' ')}; return ;;`,
  );
  const values = `    ${patterns(valueOptions(commands))}) _files; return ;;`;
  return `#compdef sbx
# zsh completion of sbx, made by: sbx completion zsh
_sbx() {
  local command='' word skip='' is_program=''
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
${followWords(commands)}
  done
  [[ -n $is_program ]] && { _files; return; }
  case "$command:\${words[CURRENT-1]}" in
${[...choices, values].join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case $command in
${branches(commands, optionsOf, list)}
    esac
  else
    case $command in
${branches(commands, namesOf, list)}
    esac
  fi
  if (( \${#offered} )); then _describe sbx offered; else _files; fi
}
if [[ \${funcstack[1]} == _sbx ]]; then _sbx "$@"; else compdef _sbx sbx; fi
`;
}

/** `--long`, `-s` for short, `-old` of more letters behind one dash. */
function fishForm(word: string): string {
  if (word.startsWith('--')) return `-l ${word.slice(2)}`;
  return word.length === 2 ? `-s ${word.slice(1)}` : `-o ${word.slice(1)}`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, names, options }) => {
    const at = `complete -c sbx -n ${quoted(`__sbx_is "${path}"`)}`;
    return [
      ...names.map(({ name, description }) => `${at} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map((one) => {
        const forms = one.words.map(fishForm);
        const value = one.choices.length > 0 ? ` -x -a ${quoted(one.choices.join(' '))}` : ' -r';
        return `${at} ${forms.join(' ')}${one.takesValue ? value : ''} -d ${quoted(one.description)}`;
      }),
    ];
  });
  return `# fish completion of sbx, made by: sbx completion fish
function __sbx_is
  set -l command ''
  set -l skip ''
  set -l before (commandline -opc)
  for word in $before[2..-1]
    if test -n "$skip"
      set skip ''
      continue
    end
    test "$word" = --; and return 1
    switch "$command:$word"
      case ${valueOptions(commands).map(quoted).join(' ')}
        set skip 1
${steps(commands)
  .map(({ from, to }) => `      case ${quoted(from)}\n        set command ${quoted(to)}`)
  .join('\n')}
    end
  end
  test "$command" = "$argv[1]"
end
${lines.join('\n')}
`;
}
