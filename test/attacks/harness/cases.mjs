/**
 * A case is one hostile program of an entry, as data:
 *
 *   c | t | py | sh | argv   what runs: a program of test/attacks/programs or test/programs with `args`, …
 *   verdicts                 acceptable words of outcome.mjs; default AC
 *   quiet                    it does not report "done"
 *   says(outcome, context)   what else must hold: returns what is wrong, or nothing
 *   limits, files, copyOut, stdin, env, pty, collect, core, gojudge   as the targets take them
 *   on                       the only target it makes sense for, with `why`
 */
import { CONDITIONS } from './conditions.mjs';
import { problemsOf } from './outcome.mjs';
import { paced } from './pace.mjs';

/** `tried` of attack.h, for Python. */
const PYTHON = `
import ctypes, errno, os, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def name(e): return errno.errorcode.get(e, str(e))
def tried(what, f, *a, **k):
  try: r = f(*a, **k)
  except OSError as e: print(f'{what}: {name(e.errno)}', flush=True); return None
  print(f'GOT {what}', flush=True); return r
def got(what): print(f'GOT {what}', flush=True)
def done(): print('done', flush=True)
def syscall(n, *a):
  r = libc.syscall(n, *[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
  if r == -1: e = ctypes.get_errno(); raise OSError(e, name(e))
  return r
`;

const SHELL = `
tried() { what="$1"; shift; if "$@" >/dev/null 2>&1; then echo "GOT $what"; else echo "$what: refused"; fi; }
done_() { echo done; }
`;

const dedent = (text) => {
  const lines = text.replace(/^\n/, '').split('\n');
  const depth = Math.min(...lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)[0].length));
  return lines.map((line) => line.slice(depth)).join('\n');
};

function argvOf(one) {
  const args = (one.args ?? []).map(String);
  if (one.c !== undefined) return [`/a/${one.c}`, ...args];
  if (one.t !== undefined) return [`/t/${one.t}`, ...args];
  if (one.py !== undefined) return ['/usr/bin/python3', '-S', '-E', '-c', PYTHON + dedent(one.py), ...args];
  if (one.sh !== undefined) return ['/bin/sh', '-c', SHELL + dedent(one.sh), 'sh', ...args];
  return one.argv;
}

/**
 * A case that may end by a time limit has the catalogue's; the others have as much more as the machine is
 * slower.
 */
function limitsOf({ limits = {}, verdicts = [] }) {
  if (verdicts.includes('TLE')) return limits;
  const { cpuMs, wallMs } = { ...CONDITIONS, ...limits };
  return { ...limits, cpuMs: paced(cpuMs), wallMs: paced(wallMs) };
}

/** What a target's `run` takes. */
export function specOf(one) {
  const { files, copyOut, copyOutMaxBytes, stdin, env, pty, collect, core, gojudge, queued } = one;
  return {
    argv: argvOf(one),
    limits: limitsOf(one),
    ...{ files, copyOut, copyOutMaxBytes, stdin, env, pty, collect, core, gojudge, queued },
  };
}

export async function runCase(context, one) {
  const result = await context.run(one);
  const says = one.says === undefined ? undefined : (outcome) => one.says(outcome, context);
  return { result, problems: problemsOf(result, { ...one, says }) };
}
