import type { LanguageDefinition } from '../language.js';
import { PYTHON_AGES } from './ages.js';

export const python: LanguageDefinition = {
  name: 'python',
  title: 'Python',
  aliases: ['python3', 'py'],
  extensions: ['.py'],
  fileName: 'main.py',
  // Nobody reads a byte-code file again in a sandbox that is used once.
  env: { PYTHONDONTWRITEBYTECODE: '1' },
  run: { file: 'python3', args: ['{source}'] },
  version: { file: 'python3', args: ['--version'], pattern: /Python (\S+)/ },
  asksAge: PYTHON_AGES,
  seccompFamily: 'python',
  debianPackage: 'python3',
};
