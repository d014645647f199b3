/** A run whose streams are ours: passed through in both directions with back pressure, nothing kept. */
import { type Engine, isSbxError, type Process } from '@sbx/core';
import { say } from '../terminal.js';
import { takeFiles } from './copy-out.js';
import { type HostInput, hostInput } from './host-input.js';
import { besideLine, type LiveLine } from './live-line.js';
import { makeSandbox } from './session.js';
import type { RunOutcome, RunPlan } from './types.js';
import { writeTo } from './write.js';

export async function streamRun(
  engine: Engine,
  plan: RunPlan,
  signal: AbortSignal,
  line: LiveLine,
): Promise<RunOutcome> {
  const sandbox = await makeSandbox(engine, plan, signal);
  const input = hostInput();
  try {
    const pipes = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;
    const { cwd, seccompFamily } = plan.options;
    const program = await sandbox.spawn(plan.file, plan.args, { ...pipes, cwd, seccompFamily, signal });
    line.follow(program);
    void feed(program, input, sandbox);
    await Promise.all([
      drain(program.stdout!, besideLine(line, process.stdout, writeTo(process.stdout, signal))),
      drain(program.stderr!, besideLine(line, process.stderr, writeTo(process.stderr, signal))),
    ]);
    const result = await program.result;
    return { result, ...(await takeFiles(sandbox, result, plan.copyOut)) };
  } finally {
    line.stop();
    input.stop();
    await sandbox.close();
  }
}

async function drain(
  from: AsyncIterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const chunk of from) await write(chunk);
}

/**
 * Not waited for: a program may end without reading all of its input. A failure to read ours ends the run.
 */
async function feed(program: Process, input: HostInput, sandbox: AsyncDisposable): Promise<void> {
  try {
    for await (const chunk of input) await program.stdin!.write(chunk);
    await program.stdin!.end();
  } catch (error) {
    if (isSbxError(error)) return; // it has closed its stdin or has ended
    say(`stdin: ${(error as Error).message}`);
    await sandbox[Symbol.asyncDispose]();
  }
}
