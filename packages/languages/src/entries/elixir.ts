import type { LanguageDefinition } from '../language.js';
import { ELIXIR_AGES } from './ages.js';

/**
 * Two schedulers, one dirty CPU scheduler, one async thread: the BEAM otherwise starts several threads per
 * CPU of the host. 13 tasks and 35 MiB were measured for the smallest program. With one scheduler it boots 35
 * ms later on two CPUs, 5 to 10 ms on one, and takes more CPU time on both.
 */
const BEAM_OPTIONS = '+S 2:2 +SDcpu 1:1 +SDio 1 +A 1 +fnu';

export const elixir: LanguageDefinition = {
  name: 'elixir',
  title: 'Elixir',
  aliases: ['ex', 'exs'],
  extensions: ['.exs', '.ex'],
  fileName: 'main.exs',
  env: { ELIXIR_ERL_OPTIONS: BEAM_OPTIONS, ERL_CRASH_DUMP: '/dev/null' },
  run: { file: 'elixir', args: ['{source}'], limits: { processCount: 64 } },
  // `elixir` and `erl` are shell scripts, which look for `erl` and `dirname`.
  needs: ['elixir', 'erl', 'dirname'],
  version: { file: 'elixir', args: ['--version'], pattern: /Elixir (\S+)/ },
  standby: { probe: ':io.format("~w", [:proplists.get_keys(:code.all_loaded())])', prelude },
  asksAge: ELIXIR_AGES,
  seccompFamily: 'beam',
  debianPackage: 'elixir',
  essentialPackages: ['coreutils', 'sed', 'grep'],
};

/**
 * Two thirds of a start come after the source has been opened: the compiler is loaded, module by module.
 * Erlang runs ~/.erlang while it boots; there it loads the modules that any program finds loaded when it
 * begins, and no others.
 */
function prelude(printed: string): Record<string, string> {
  if (!/^\[[\w',.@-]+\]$/.test(printed)) return {}; // not what was expected: then it just takes longer
  const modules = printed.slice(1, -1).split(',');
  const lasting = modules.filter((name) => !name.startsWith('elixir_compiler_'));
  return { '.erlang': `lists:foreach(fun code:ensure_loaded/1, [${lasting.join(',')}]).\n` };
}
