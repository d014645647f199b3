import type { LanguageDefinition } from '../language.js';
import { MiB } from './sizes.js';

/** The garbage collector works harder from here on, instead of running into the limit with garbage. */
const SOFT_LIMIT_SHARE = 0.9;

export const go: LanguageDefinition = {
  name: 'go',
  title: 'Go',
  aliases: ['golang'],
  extensions: ['.go'],
  fileName: 'main.go',
  env: { HOME: '/tmp' },
  compile: {
    file: 'go',
    // All .go files of the folder are one package, so that the caller's other files count.
    args: ['build', '-p', '2', '-trimpath', '-buildmode', 'exe', '-o', 'main', '.'],
    env: {
      GOCACHE: '/tmp/go-cache',
      GOPATH: '/tmp/go',
      GO111MODULE: 'off',
      GOTOOLCHAIN: 'local',
      CGO_ENABLED: '0',
      GOMAXPROCS: '2',
    },
    // Since Go 1.20 the standard library is compiled each time when there is no cache.
    limits: {
      cpuTimeMs: 120_000,
      wallTimeMs: 120_000,
      memoryBytes: 1024 * MiB,
      processCount: 128,
      diskBytes: 512 * MiB,
    },
    output: ['main'],
  },
  run: {
    file: './main',
    env: ({ memoryBytes }): Record<string, string> =>
      memoryBytes === null ? {} : { GOMEMLIMIT: `${Math.floor(memoryBytes * SOFT_LIMIT_SHARE)}` },
    limits: { processCount: 64 },
  },
  version: { file: 'go', args: ['version'], pattern: /go version go(\S+)/ },
  seccompFamily: 'native',
  debianPackage: 'golang-go',
};
