/** A run with a terminal of its own, joined to ours: raw bytes both ways, and its size follows. */
import type { Engine, Process } from '@sbx/core';
import { takeFiles } from './copy-out.js';
import { hostInput } from './host-input.js';
import { makeSandbox } from './session.js';
import type { RunOutcome, RunPlan } from './types.js';
import { writeTo } from './write.js';

export async function terminalRun(engine: Engine, plan: RunPlan, signal: AbortSignal): Promise<RunOutcome> {
  const sandbox = await makeSandbox(engine, plan, signal);
  const input = hostInput();
  let leave = () => {};
  try {
    const pty = { ...sizeOfTerminal(), term: process.env.TERM ?? 'xterm-256color' };
    const { cwd, seccompFamily } = plan.options;
    const program = await sandbox.spawn(plan.file, plan.args, { pty, cwd, seccompFamily, signal });
    leave = enterRawMode(program);
    void feed(program, input);
    const write = writeTo(process.stdout, signal);
    for await (const chunk of program.stdout!) await write(chunk);
    const result = await program.result;
    return { result, ...(await takeFiles(sandbox, result, plan.copyOut)) };
  } finally {
    leave();
    input.stop();
    await sandbox.close();
  }
}

function sizeOfTerminal(): { cols: number; rows: number } {
  // A terminal that was never told its size says 0.
  const { columns, rows } = process.stdout;
  return { cols: columns || 80, rows: rows || 24 };
}

/** From here on keys are bytes for the program, Ctrl-C too. Gives the way back. */
function enterRawMode(program: Process): () => void {
  const resize = () => {
    const { cols, rows } = sizeOfTerminal();
    program.resize(cols, rows);
  };
  process.stdin.setRawMode(true);
  process.stdout.on('resize', resize);
  return () => {
    process.stdout.off('resize', resize);
    process.stdin.setRawMode(false);
  };
}

async function feed(program: Process, input: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of input) await program.stdin!.write(chunk);
  } catch {
    // The program has ended; its result says how.
  }
}
