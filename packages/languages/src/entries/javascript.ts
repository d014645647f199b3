import type { LanguageDefinition } from '../language.js';
import { JAVASCRIPT_AGES } from './ages.js';
import { heapArgs, nodeLimits, nodeVersion } from './node.js';

export const javascript: LanguageDefinition = {
  name: 'javascript',
  title: 'JavaScript',
  aliases: ['js', 'node', 'nodejs'],
  extensions: ['.js', '.mjs', '.cjs'],
  // Node ≥ 20.19 and ≥ 22.7 tell by the syntax whether a .js file is a module; older ones take it for
  // CommonJS.
  fileName: 'main.js',
  run: {
    file: 'node',
    args: (context) => [...heapArgs(context), context.source],
    limits: nodeLimits,
    readsMemoryLimit: true,
  },
  version: nodeVersion,
  asksAge: JAVASCRIPT_AGES,
  seccompFamily: 'node',
  debianPackage: 'nodejs',
};
