/** One program of a request as the engine takes it, or why it is not even tried. */
import type { GroupProgram, PtyOptions } from '@sbx/core';
import { StartFailure } from '../errors.js';
import { shareOf } from './budget.js';
import { makeCopyOut } from './collect-outputs.js';
import { type CopyIn, makeCopyIn } from './copy-in.js';
import type { JobProgram } from './job.js';
import { engineLimits } from './limits.js';
import { notStarted, type ProgramResult } from './program-result.js';
import type { RunScope } from './scope.js';
import { type Collector, collectorsOf, keptBytes, makeFds } from './stdio.js';

export interface Plan {
  index: number;
  program: JobProgram;
  /** What is collected. */
  collectors: Collector[];
  /** `null`: see `failure`. */
  request: GroupProgram | null;
  failure: StartFailure | ProgramResult | null;
}

/** `taken`: descriptors that pipes of the group fill. Throws `RunFailure`. */
export function planProgram(
  scope: RunScope,
  program: JobProgram,
  index: number,
  taken: ReadonlySet<number>,
): Plan | Promise<Plan> {
  const copied = makeCopyIn(scope, program);
  const finish = (copyIn: CopyIn): Plan => {
    const collectors = program.tty ? terminalCollector(program) : collectorsOf(program);
    const plan: Plan = { index, program, collectors, request: null, failure: null };
    if (copyIn.failed !== null) {
      plan.failure = notStarted('File Error', copyIn.failed.failure!.error, copyIn.failed);
      return plan;
    }
    try {
      plan.request = makeRequest(scope, plan, copyIn, taken);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      plan.failure = error;
    }
    return plan;
  };
  return copied instanceof Promise ? copied.then(finish) : finish(copied);
}

/** A terminal has one output, which goes to the first that wants it. */
function terminalCollector(program: JobProgram): Collector[] {
  const streamed = program.files.findIndex((file) => file?.kind === 'stream-out');
  const [first] = collectorsOf(program);
  return first === undefined || (streamed >= 0 && streamed < first.fd) ? [] : [first];
}

function makeRequest(
  scope: RunScope,
  { program, collectors }: Plan,
  { files }: CopyIn,
  taken: ReadonlySet<number>,
): GroupProgram {
  const { settings, cpuSet } = scope;
  const file = programName(program);
  const limits = engineLimits(program.limits, settings, cpuSet);
  return {
    file,
    args: program.args.slice(1),
    env: [...settings.env, ...program.env],
    lookup: 'cwd-first',
    limits,
    ...(program.tty ? { pty: terminalOf(scope, program, collectors) } : {}),
    fds: makeFds(scope, program, collectors, taken),
    ...(program.copyIn.length === 0 ? {} : { files }),
    copyOutTotalBytes: shareOf(scope.job, settings),
    ...(program.copyOut.length === 0 ? {} : { copyOut: makeCopyOut(program, settings.workDir) }),
  };
}

function programName({ args, env }: JobProgram): string {
  const [name] = args;
  if (name === undefined) throw new StartFailure('execve: recvReply recv msg: read unixpacket @->@: EOF');
  if (args.some(hasNul) || env.some(hasNul)) {
    throw new StartFailure(`execve: start: ${name}: invalid argument`);
  }
  if (name === '') throw new StartFailure('start: : execve: no such file or directory');
  return name;
}

function hasNul(text: string): boolean {
  return text.includes('\0');
}

/** Its controlling terminal is that of descriptor 0, which so must be one. */
function terminalOf(
  { settings }: RunScope,
  { args, files }: JobProgram,
  collectors: readonly Collector[],
): PtyOptions {
  const first = files[0];
  if (first == null || first.kind === 'src' || first.kind === 'stored') {
    throw new StartFailure(`execve: start: ${args[0]}: ioctl: inappropriate ioctl for device`);
  }
  const content = files.find((file) => file?.kind === 'content');
  const isStreamed = files.some((file) => file?.kind === 'stream-out');
  const maxBytes = collectors.length === 0 ? settings.collectMaxBytes : keptBytes(collectors[0]!, settings);
  return {
    cols: 0,
    rows: 0,
    term: null,
    ...(content === undefined ? {} : { input: { text: content.text } }),
    ...(isStreamed ? {} : { capture: { maxBytes, overflow: 'hangup' } }),
  };
}
