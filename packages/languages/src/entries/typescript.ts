/**
 * TypeScript through Node, on every Node: the compile step removes the types inside the sandbox, the run step
 * is plain JavaScript. Types are not checked; syntax is.
 *
 * The transformer is `@swc/wasm-typescript`, the one that Node ≥ 22.18 has built in (there as amaro, which
 * asks for Node 22 to be installed): one file, no dependencies, runs on Node 20 as well. Relying on the
 * built-in one would need a newer Node in the sandbox and answer differently on each, since enums and
 * namespaces need a flag there. Sucrase is smaller but drops namespaces without a word. The code is hostile,
 * so the transformer is copied into the sandbox and runs there, never in the host's process.
 */
import type { LanguageDefinition } from '../language.js';
import { heapArgs, nodeLimits, nodeVersion } from './node.js';
import { MiB } from './sizes.js';
import { transformerFile } from './typescript-tool.js';

/**
 * The program of the compile step: source and output as arguments, errors as `file:line:column: error: …`.
 */
const TRANSPILE = `'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { transformSync } = require('./transformer.cjs');
const [source, output] = process.argv.slice(2);
try {
  const options = { mode: 'transform', filename: source, sourceMap: true };
  const { code, map } = transformSync(readFileSync(source, 'utf8'), options);
  const url = 'data:application/json;base64,' + Buffer.from(map).toString('base64');
  writeFileSync(output, code + '\\n//# sourceMappingURL=' + url + '\\n');
} catch (error) {
  const isMistake = typeof error?.startLine === 'number';
  const place = isMistake ? source + ':' + error.startLine + ':' + (error.startColumn + 1) : source;
  const what = isMistake ? error.message + '\\n\\n' + error.snippet : 'the transformer gives up: ' + error;
  process.stderr.write(place + ': error: ' + what + '\\n');
  process.exitCode = 1;
}
`;

export const typescript: LanguageDefinition = {
  name: 'typescript',
  title: 'TypeScript',
  aliases: ['ts'],
  extensions: ['.ts', '.mts', '.cts'],
  fileName: 'main.ts',
  compile: {
    file: 'node',
    args: ['.sbx/transpile.cjs', '{source}', 'main.js'],
    limits: { ...nodeLimits, cpuTimeMs: 20_000, wallTimeMs: 40_000, memoryBytes: 512 * MiB },
    output: ['main.js'],
    files: () => ({
      '.sbx/transpile.cjs': { text: TRANSPILE },
      '.sbx/transformer.cjs': { hostFile: transformerFile() },
    }),
  },
  run: {
    file: 'node',
    args: (context) => [...heapArgs(context), '--enable-source-maps', 'main.js'],
    limits: nodeLimits,
    readsMemoryLimit: true,
  },
  version: nodeVersion,
  seccompFamily: 'node',
  debianPackage: 'nodejs',
};
