import type { LanguageDefinition } from '../language.js';
import { SHELL_AGES } from './ages.js';

/** The system's POSIX shell (dash on Debian). */
export const shell: LanguageDefinition = {
  name: 'shell',
  title: 'Shell',
  aliases: ['sh'],
  extensions: ['.sh'],
  fileName: 'main.sh',
  run: { file: '/bin/sh', args: ['{source}'] },
  asksAge: SHELL_AGES,
  seccompFamily: 'shell',
  essentialPackages: ['coreutils'],
};

/** An entry of its own: what bash programs use beyond POSIX fails in other shells. */
export const bash: LanguageDefinition = {
  name: 'bash',
  title: 'Bash',
  extensions: ['.bash'],
  fileName: 'main.bash',
  run: { file: 'bash', args: ['{source}'] },
  asksAge: SHELL_AGES,
  version: { file: 'bash', args: ['--version'], pattern: /version ([\d.]+)/ },
  debianPackage: 'bash',
  seccompFamily: 'shell',
  essentialPackages: ['coreutils'],
};
