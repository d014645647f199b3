import type { LanguageDefinition } from '../types.js';

/**
 * One scheduler, one dirty CPU scheduler, one async thread: the BEAM otherwise starts several threads per CPU of the host.
 * 23 tasks and 31 MiB were measured for the smallest program.
 */
const BEAM_OPTIONS = '+S 1:1 +SDcpu 1:1 +SDio 1 +A 1 +fnu';

export const elixir: LanguageDefinition = {
  name: 'elixir',
  title: 'Elixir',
  aliases: ['ex', 'exs'],
  extensions: ['.exs', '.ex'],
  fileName: 'main.exs',
  env: { ELIXIR_ERL_OPTIONS: BEAM_OPTIONS, ERL_CRASH_DUMP: '/dev/null', HOME: '/tmp' },
  run: { file: 'elixir', args: ['{source}'], limits: { processCount: 64 } },
  needs: ['elixir', 'erl'],
  version: { file: 'elixir', args: ['--version'], pattern: /Elixir (\S+)/ },
  debianPackage: 'elixir',
};
