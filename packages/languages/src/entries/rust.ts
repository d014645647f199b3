import type { LanguageDefinition } from '../language.js';
import { MiB } from './sizes.js';

export const rust: LanguageDefinition = {
  name: 'rust',
  title: 'Rust',
  aliases: ['rs'],
  extensions: ['.rs'],
  fileName: 'main.rs',
  compile: {
    file: 'rustc',
    // The kind is told, since a source can ask for another one.
    args: ['--edition', '2021', '--crate-type', 'bin', '-C', 'opt-level=2', '-o', 'main', '{source}'],
    // 385 MiB measured for the smallest program with a cold file cache; the compiler's own threads are about
    // one per CPU.
    limits: {
      cpuTimeMs: 60_000,
      wallTimeMs: 90_000,
      memoryBytes: 1024 * MiB,
      processCount: 128,
      diskBytes: 512 * MiB,
    },
    output: ['main'],
  },
  run: { file: './main' },
  needs: ['rustc', 'cc'],
  version: { file: 'rustc', args: ['--version'], pattern: /rustc (\S+)/ },
  seccompFamily: 'native',
  debianPackage: 'rustc',
};
