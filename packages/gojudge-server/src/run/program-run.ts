/** One program of a request: sandbox, files in, run, files out, verdict. Its failures are its own, the others go on. */
import {
  type InputStream,
  isSbxError,
  type OutputStream,
  type Process,
  ProgramNotFoundError,
  type ProgramOptions,
  type RunResult,
  type Sandbox,
  SandboxError,
} from '@sbx/core';
import { errnoText, plainText, StartFailure } from '../errors.js';
import { collectBounded } from './bounded.js';
import { engineLimits } from './convert.js';
import { copyIn } from './copy-in.js';
import { type Collected, gather } from './gather.js';
import type { JobProgram } from './job.js';
import type { LinkEnd } from './links.js';
import { findProgram } from './lookup.js';
import { notStarted, type Outcome } from './outcome.js';
import type { RunScope } from './scope.js';
import { collectorsOf, makeStdio, type Stdio } from './stdio.js';
import { runOnTerminal } from './terminal.js';
import { decideOutcome } from './verdict.js';

export type Ended = Pick<RunResult, 'status' | 'exitCode' | 'exitSignal' | 'usage'>;

/** Place of a program in its request. */
export interface Placed {
  program: JobProgram;
  index: number;
  ends: readonly LinkEnd[];
}

/** Never rejects for what the program or its files did. */
export async function runProgram(scope: RunScope, placed: Placed): Promise<Outcome> {
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await openSandbox(scope, placed.program);
    return (await copyIn(scope, sandbox, placed.program)) ?? (await runIn(scope, sandbox, placed));
  } catch (error) {
    if (error instanceof StartFailure) return notStarted('Internal Error', error.message);
    if (scope.signal.aborted) return notStarted('Internal Error', 'cancelled before execute');
    throw error;
  } finally {
    for (const end of placed.ends) end.attach(null); // counts only where nothing was attached
    void Promise.allSettled(placed.ends.map(({ passed }) => passed)).then(() => sandbox?.close());
  }
}

async function openSandbox(scope: RunScope, { limits }: JobProgram): Promise<Sandbox> {
  const asked = engineLimits(limits, scope.settings, scope.cpuSet);
  try {
    return await scope.engine.createSandbox({ limits: asked });
  } catch (error) {
    if (!isSbxError(error)) throw error;
    if (error.code === 'SBX_INVALID_OPTIONS') {
      throw new StartFailure(`execve: cgroup: failed to set cpuset limit: ${plainText(error)}`);
    }
    throw new StartFailure(`failed to get environment conf: ${plainText(error)}`);
  }
}

async function runIn(scope: RunScope, sandbox: Sandbox, placed: Placed): Promise<Outcome> {
  const { program } = placed;
  const collected: Collected = new Map();
  const collectors = program.tty ? collectorsOf(program).slice(0, 1) : collectorsOf(program);
  let ended: Ended | StartFailure;
  try {
    ended = await start(scope, sandbox, placed, collected);
  } catch (error) {
    ended = asStartFailure(error, scope, program);
  }
  const gathered = await gather(scope, sandbox, program, collectors, collected);
  if (ended instanceof StartFailure) return notStarted('Internal Error', ended.message, gathered);
  return decideOutcome(ended, program.limits, gathered, scope.settings.runnerConfig.cgroupType === 2);
}

function start(scope: RunScope, sandbox: Sandbox, placed: Placed, collected: Collected): Promise<Ended> {
  const { program } = placed;
  const file = findProgram(program, scope.settings);
  const options: ProgramOptions = { env: environment(program.env) };
  if (program.tty) return runOnTerminal({ scope, sandbox, placed, file, options, collected });
  const stdio = makeStdio(scope, program, placed.ends);
  if (program.files.some((entry, fd) => entry === null && !placed.ends.some((end) => end.fd === fd))) {
    throw new StartFailure('execve: recvReply send msg: write unixpacket @: sendmsg: bad file descriptor');
  }
  Object.assign(options, stdio.options);
  if (stdio.living) return runLiving(scope, { sandbox, placed, file, options, stdio, collected });
  return runToEnd(scope, sandbox, file, program.args.slice(1), options);
}

/** Nothing is to be done while it runs. */
async function runToEnd(
  scope: RunScope,
  sandbox: Sandbox,
  file: string,
  args: string[],
  options: ProgramOptions,
): Promise<Ended> {
  const { signal } = scope;
  try {
    return await sandbox.run(file, args, { ...options, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const usage = sandbox.usage();
    return { status: 'killed', exitCode: null, exitSignal: 'SIGKILL', usage };
  }
}

interface Living {
  sandbox: Sandbox;
  placed: Placed;
  file: string;
  options: ProgramOptions;
  stdio: Stdio;
  collected: Collected;
}

/** With streams that somebody reads or writes. */
async function runLiving(scope: RunScope, living: Living): Promise<Ended> {
  const { sandbox, placed, file, options } = living;
  const process = await sandbox.spawn(file, placed.program.args.slice(1), options);
  const stop = () => process.kill();
  scope.signal.addEventListener('abort', stop, { once: true });
  if (scope.signal.aborted) stop();
  try {
    const reading = attach(scope, living, process);
    const result = await process.result;
    await Promise.all(reading);
    return result;
  } finally {
    scope.signal.removeEventListener('abort', stop);
  }
}

function attach(scope: RunScope, { placed, stdio, collected }: Living, process: Process): Promise<unknown>[] {
  const { program, index, ends } = placed;
  for (const end of ends) end.attach(streamOf(process, end.fd));
  const reading: Promise<unknown>[] = [];
  for (const [fd, file] of program.files.entries()) {
    if (file?.kind === 'stream-in') {
      scope.streams!.attachInput(index, fd, streamOf(process, fd) as InputStream);
    } else if (file?.kind === 'stream-out') {
      reading.push(scope.streams!.attachOutput(index, fd, streamOf(process, fd) as OutputStream));
    }
  }
  for (const { name, max, pipe, fds } of stdio.collectors) {
    if (!pipe) continue;
    const stream = streamOf(process, fds[0]!) as OutputStream | null;
    if (stream === null) continue;
    reading.push(collectBounded(stream, max + 1).then((bytes) => collected.set(name, bytes)));
  }
  return reading;
}

function streamOf(process: Process, fd: number): InputStream | OutputStream | null {
  if (fd > 2) return process.fds[fd] ?? null;
  return [process.stdin, process.stdout, process.stderr][fd]!;
}

/** Later entries win; what is no `K=V` cannot be passed on. */
export function environment(variables: readonly string[]): Record<string, string> {
  const pairs = variables.map((variable) => [variable, variable.indexOf('=')] as const);
  return Object.fromEntries(
    pairs.filter(([, at]) => at > 0).map(([text, at]) => [text.slice(0, at), text.slice(at + 1)]),
  );
}

/** What kept it from starting, in go-judge's words. Errors of ours go on. */
function asStartFailure(error: unknown, { settings }: RunScope, { args }: JobProgram): StartFailure {
  if (error instanceof StartFailure) return error;
  const prefix = settings.runnerConfig.clone3 ? 'execve: ' : '';
  const start = (text: string) => new StartFailure(`${prefix}start: ${args[0]}: execve: ${text}`);
  if (error instanceof ProgramNotFoundError) return start(errnoText(2));
  if (error instanceof SandboxError && error.stage === 'exec') return start(errnoText(error.errno));
  if (isSbxError(error)) {
    if (error.code === 'SBX_INVALID_OPTIONS') return start(errnoText(7));
    if (error.code === 'SBX_PERMISSION') {
      return new StartFailure(`execve: cgroup: failed to set cpuset limit: ${plainText(error)}`);
    }
    return new StartFailure(`execve: ${plainText(error)}`);
  }
  throw error;
}
