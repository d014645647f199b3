import type { CompileStep, LanguageDefinition } from '../language.js';
import { MiB } from './sizes.js';

/**
 * The driver, the compiler proper and the linker; one can eat any amount of memory in constant evaluation.
 */
const limits: CompileStep['limits'] = {
  cpuTimeMs: 30_000,
  wallTimeMs: 60_000,
  memoryBytes: 1024 * MiB,
  processCount: 32,
};

export const c: LanguageDefinition = {
  name: 'c',
  title: 'C',
  extensions: ['.c'],
  fileName: 'main.c',
  compile: {
    file: 'gcc',
    args: ['-std=gnu17', '-O2', '-o', 'main', '{source}', '-lm'],
    limits,
    output: ['main'],
  },
  run: { file: './main' },
  needs: ['gcc', 'ld'],
  version: { file: 'gcc', args: ['-dumpfullversion'], pattern: /^(\d[\d.]*)/ },
  seccompFamily: 'native',
  debianPackage: 'gcc libc6-dev',
};

export const cpp: LanguageDefinition = {
  name: 'cpp',
  title: 'C++',
  aliases: ['c++', 'cxx'],
  extensions: ['.cpp', '.cc', '.cxx', '.c++'],
  fileName: 'main.cpp',
  compile: {
    file: 'g++',
    args: ['-std=gnu++20', '-O2', '-o', 'main', '{source}'],
    limits,
    output: ['main'],
  },
  run: { file: './main' },
  needs: ['g++', 'ld'],
  version: { file: 'g++', args: ['-dumpfullversion'], pattern: /^(\d[\d.]*)/ },
  seccompFamily: 'native',
  debianPackage: 'g++',
};
