// Runs of `@sbx/core`, in this process, in the catalogue's words.
import { DEFAULT_MOUNTS, Engine, FileAccessError, isSbxError } from '@sbx/core';
import { CONDITIONS, sandboxMounts } from './conditions.mjs';
import { outcome } from './outcome.mjs';

const VERDICT_OF = {
  ok: 'AC',
  exit: 'NZ',
  signal: 'SIG',
  'cpu-limit': 'TLE',
  'wall-limit': 'TLE',
  'memory-limit': 'MLE',
  'output-limit': 'OLE',
  'forbidden-syscall': 'DS',
  'file-error': 'FE',
  killed: 'KILLED',
};

/** The caller's fault, or the program's: refused with a reason. */
const REFUSALS = new Set([
  'SBX_INVALID_OPTIONS',
  'SBX_PROGRAM_NOT_FOUND',
  'SBX_PROGRAM_NOT_EXECUTABLE',
  'SBX_PROGRAM_TOO_BIG',
  'SBX_BAD_CWD',
  'SBX_OVERLOADED',
]);

export function limitsOf(limits = {}) {
  const all = { ...CONDITIONS, ...limits };
  return {
    cpuTimeMs: all.cpuMs,
    wallTimeMs: all.wallMs,
    memoryBytes: all.memoryBytes,
    processCount: all.procs,
    outputBytes: all.outputBytes,
    diskBytes: all.diskBytes,
    diskFileCount: all.diskFiles,
    fileBytes: all.fileBytes,
    ...(all.stackBytes === undefined ? {} : { stackBytes: all.stackBytes }),
    ...(all.openFiles === undefined ? {} : { openFileCount: all.openFiles }),
  };
}

const content = (data) => (typeof data === 'string' ? { text: data } : { bytes: data });

function optionsOf(spec) {
  const inputs = Object.entries(spec.files ?? {});
  return {
    limits: limitsOf(spec.limits),
    files: Object.fromEntries(inputs.map(([name, data]) => [name, { ...content(data), mode: 0o755 }])),
    copyOut: spec.copyOut ?? [],
    copyOutMaxBytes: spec.copyOutMaxBytes ?? CONDITIONS.copyOutMaxBytes,
    ...(spec.stdin === undefined || spec.pty ? {} : { stdin: content(spec.stdin) }),
    ...(spec.env === undefined ? {} : { env: spec.env }),
    ...(spec.pty ? { pty: {} } : {}),
    ...(spec.collect === 'file' ? { stdout: { file: 'stdout' }, stderr: { file: 'stderr' } } : {}),
    ...(spec.core ?? {}),
    signal: spec.signal,
  };
}

function fromResult(result) {
  const files = Object.entries(result.files).map(([name, file]) => [name, Buffer.from(file.bytes)]);
  const { usage } = result;
  return outcome(VERDICT_OF[result.status], {
    exitCode: result.exitCode,
    signal: result.exitSignal,
    stdout: result.stdout.text(),
    stderr: result.stderr.text(),
    stdoutBytes: result.stdout.bytes.byteLength,
    stderrBytes: result.stderr.bytes.byteLength,
    cpuMs: usage.cpuTimeMs,
    wallMs: usage.wallTimeMs,
    memory: usage.memoryPeakBytes ?? 0,
    procPeak: usage.processPeakCount,
    files: Object.fromEntries(files),
    fileErrors: result.fileErrors.map(({ path, code }) => ({ path, code })),
  });
}

export function fromError(error) {
  if (!isSbxError(error)) return outcome('IE', { message: String(error?.stack ?? error) });
  const message = `${error.code}: ${error.message}`;
  if (error instanceof FileAccessError) return outcome('FE', { message });
  return outcome(REFUSALS.has(error.code) ? 'REFUSED' : 'IE', { message });
}

export async function openCoreTarget(world) {
  const engine = await Engine.open({
    mounts: [...DEFAULT_MOUNTS, ...sandboxMounts(world)],
    require: [], // what is missing here is in world.features; entries say what they need
    parallelism: CONDITIONS.parallelism,
    readyCount: CONDITIONS.ready,
  });
  const run = async (spec) => {
    const [file, ...args] = spec.argv;
    const start = performance.now();
    const one = await engine.run(file, args, optionsOf(spec)).then(fromResult, (error) => {
      if (spec.signal?.aborted && error === spec.signal.reason) return outcome('KILLED');
      return fromError(error);
    });
    one.replyMs = performance.now() - start;
    return one;
  };
  return {
    name: 'core',
    pid: process.pid,
    folders: [world.temp],
    slotsMax: CONDITIONS.slotsMax,
    engine,
    run,
    hello: () => run({ argv: ['/a/hello'] }),
    close: () => engine.close(),
  };
}
