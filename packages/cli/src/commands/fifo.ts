/**
 * `sbx fifo run`: words of the command line → request → a program that is managed over pipes until its last
 * call.
 */
import { join } from 'node:path';
import type { Engine } from '@sbx/core';
import {
  type FifoEvent,
  FifoManager,
  type FifoOptions,
  type ManagedProgram,
  type StartContext,
} from '@sbx/fifo-protocol/server';
import { askToEnd } from '../ending.js';
import { EXIT } from '../exit-codes.js';
import { Recording } from '../fifo/record.js';
import { passStdio } from '../fifo/stdio.js';
import type { FifoFlags } from '../flags.js';
import { openEngine } from '../open-engine.js';
import { CompileFailed, planRun, rootFor } from '../run/compile.js';
import { watchInterrupts } from '../run/interrupts.js';
import { Interrupted } from '../run/output-failure.js';
import { makeRequest, type RunInput, type RunRequest } from '../run/request.js';
import { makeSandbox } from '../run/session.js';
import { printJson, say } from '../terminal.js';
import { parseCount, parseDurationMs } from '../units.js';
import { UsageError } from '../usage-error.js';

export interface FifoInput extends RunInput {
  flags: FifoFlags;
}

/** Gives the exit code; throws what `reportFailure` tells. */
export async function fifoCommand({ flags, ...words }: FifoInput): Promise<number> {
  const { record, ...rest } = flags;
  const options = optionsFrom(rest);
  const request = await makeRequest({ ...words, flags: { ...flags, json: false }, command: 'fifo run' });
  const interrupts = watchInterrupts(askToEnd);
  const recording = record === undefined ? null : new Recording(record);
  try {
    const engine = await openEngine(request.allowDegraded, request.toolchains, rootFor(request));
    try {
      return await manage(engine, request, {
        options,
        isJson: flags.json === true,
        signal: interrupts.signal,
        recording,
      });
    } finally {
      await engine.close();
    }
  } finally {
    recording?.close();
    interrupts.stop();
  }
}

function optionsFrom({
  dir,
  pipes,
  legacy,
  group,
  grace,
  giveUp,
  json,
}: FifoFlags): FifoOptions & { pipes: boolean } {
  const hasPipes = pipes === true || legacy === true;
  if (json && !hasPipes)
    throw new UsageError('--json needs --pipes or --legacy: stdout is the program’s otherwise');
  return {
    layout: legacy ? 'legacy' : 'two-pipe',
    pipes: hasPipes,
    ...(dir === undefined ? {} : { dir }),
    ...(group === undefined ? {} : { group: parseCount(group, '--group') }),
    ...(grace === undefined ? {} : { graceMs: Math.round(parseDurationMs(grace, '--grace')) }),
    ...(giveUp === undefined ? {} : { giveUpMs: Math.round(parseDurationMs(giveUp, '--give-up')) }),
  };
}

interface Terms {
  options: FifoOptions & { pipes: boolean };
  isJson: boolean;
  signal: AbortSignal;
  recording: Recording | null;
}

async function manage(engine: Engine, request: RunRequest, terms: Terms): Promise<number> {
  const { options, signal, recording } = terms;
  signal.throwIfAborted();
  const start = (context: StartContext) =>
    startProgram(engine, request, context, options.pipes).catch((error) => tellStart(error, context));
  const onEvent = (event: FifoEvent) => recording?.write(event);
  const manager = await FifoManager.open(start, { ...options, onEvent }).catch(refuse);
  recording?.write({ kind: 'ready', dir: manager.dir });
  const close = () => void manager.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  announce(manager.dir, terms);
  await recording?.end(manager);
  await manager.finished;
  if (!signal.aborted) return EXIT.ok;
  if (signal.reason instanceof Interrupted) return signal.reason.exitCode;
  throw signal.reason;
}

function refuse(error: unknown): never {
  const { code, message, details } = error as {
    code?: string;
    message: string;
    details?: { field?: string };
  };
  if (code === 'SBX_FIFO_DIRECTORY') throw new UsageError(message, null, EXIT.ioError);
  if (code === 'SBX_FIFO_INVALID_OPTIONS') throw new UsageError(withFlag(message, details?.field));
  throw error;
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['graceMs', '--grace'],
  ['giveUpMs', '--give-up'],
  ['group', '--group'],
]);

/** With the flag in the place of the option that it became. */
function withFlag(message: string, field = ''): string {
  return message.replace(field, FLAGS.get(field) ?? field);
}

function announce(dir: string, { options, isJson }: Terms): void {
  const { layout, pipes } = options;
  if (isJson) printJson({ version: 1, command: 'fifo', dir, layout, ...pathsOf(dir, layout) });
  else if (pipes) process.stdout.write(`${dir}\n`);
  else say(`ready: ${dir}`);
}

function pathsOf(dir: string, layout: FifoOptions['layout']): Record<string, string> {
  const suffix = layout === 'legacy' ? '.pipe' : '';
  const names = ['wait', 'status', 'downward', 'upward'];
  return Object.fromEntries(names.map((name) => [name, join(dir, name + suffix)]));
}

async function startProgram(
  engine: Engine,
  request: RunRequest,
  { signal, atEnd }: StartContext,
  hasPipes: boolean,
): Promise<ManagedProgram> {
  const plan = await planRun(engine, request, signal).catch(tellCompiler);
  const sandbox = await makeSandbox(engine, plan, signal);
  atEnd(() => sandbox.close());
  const stdio = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;
  const { cwd, seccompFamily } = plan.options;
  const program = await sandbox.spawn(plan.file, plan.args, { ...stdio, cwd, seccompFamily });
  const stop = passStdio(program, hasPipes);
  atEnd(async () => stop());
  return program;
}

/** The evaluator hears it over the pipes; whoever looks at the terminal has to be told as well. */
function tellStart(error: Error, { signal }: StartContext): never {
  if (!signal.aborted) say(`error: not started: ${error.message}`);
  throw error;
}

/** What the compiler said is for people; over the pipes goes that it did. */
function tellCompiler(error: unknown): never {
  if (!(error instanceof CompileFailed)) throw error;
  const { stdout, stderr } = error.compilation.result;
  process.stderr.write(stdout.bytes);
  process.stderr.write(stderr.bytes);
  throw new Error('compilation failed', { cause: error });
}
