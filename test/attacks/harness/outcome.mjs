/**
 * What came of a run, in the catalogue's words, whoever ran it. `verdict` is one of the keys of VERDICTS; the
 * rest are figures and outputs. Targets translate into this shape, entries judge it.
 */

/** Word → meaning. */
export const VERDICTS = {
  AC: 'accepted: exit code 0 within all limits',
  NZ: 'another exit code',
  SIG: 'ended by a signal',
  TLE: 'CPU or wall limit',
  MLE: 'memory limit',
  OLE: 'output limit',
  FE: 'file error',
  DS: 'ended by the system call filter',
  REFUSED: 'refused before anything ran',
  IE: 'the sandbox itself failed: never acceptable',
};

/** Of nothing; targets fill in what they know. `awayMs`: how long CPUs of the machine were away meanwhile. */
export function outcome(verdict, facts = {}) {
  return {
    verdict,
    exitCode: null,
    signal: null,
    stdout: '',
    stderr: '',
    stdoutBytes: 0,
    stderrBytes: 0,
    cpuMs: 0,
    wallMs: 0,
    memory: 0,
    procPeak: null,
    files: {},
    fileErrors: [],
    message: '',
    replyMs: 0,
    awayMs: 0,
    ...facts,
  };
}

/** For the report: `TLE 9 cpu 1003 ms`. */
export function describeOutcome(one) {
  const end = one.signal ?? one.exitCode;
  const figures = `cpu ${Math.round(one.cpuMs)} wall ${Math.round(one.wallMs)} ms, ${(one.memory / 2 ** 20).toFixed(1)} MiB`;
  const tasks = one.procPeak === null ? '' : `, ${one.procPeak} tasks`;
  const message = one.message === '' ? '' : `; ${one.message.slice(0, 160)}`;
  return `${one.verdict}${end === null || end === 0 ? '' : ` ${end}`} (${figures}${tasks}${message})`;
}

/**
 * What is wrong with the outcome of a case: its verdict is not among the wanted, a line says that the
 * attacker got something, or a program that should have tried everything stopped before.
 */
export function problemsOf(one, { verdicts = ['AC'], quiet = false, says }) {
  const problems = [];
  if (!verdicts.includes(one.verdict)) {
    const tail = one.stderr === '' ? '' : ` stderr: ${one.stderr.slice(-300)}`;
    problems.push(`${describeOutcome(one)} instead of ${verdicts.join(' or ')}${tail}`);
  }
  const gained = `${one.stdout}\n${one.stderr}`.split('\n').filter((line) => line.startsWith('GOT '));
  problems.push(...gained.slice(0, 5));
  if (!quiet && one.verdict === 'AC' && !/^done$/m.test(one.stdout)) {
    problems.push(`did not try everything: ${JSON.stringify((one.stdout + one.stderr).slice(-200))}`);
  }
  return says === undefined ? problems : [...problems, ...[says(one) ?? []].flat()];
}
