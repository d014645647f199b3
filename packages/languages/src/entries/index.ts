/** The built-in languages, in the order in which they are listed. */
import type { LanguageDefinition } from '../language.js';
import { c, cpp } from './c.js';
import { elixir } from './elixir.js';
import { go } from './go.js';
import { java } from './java.js';
import { javascript } from './javascript.js';
import { python } from './python.js';
import { rust } from './rust.js';
import { bash, shell } from './shell.js';
import { typescript } from './typescript.js';

export const builtinLanguages: readonly LanguageDefinition[] = [
  c,
  cpp,
  python,
  javascript,
  typescript,
  shell,
  bash,
  elixir,
  go,
  rust,
  java,
];
