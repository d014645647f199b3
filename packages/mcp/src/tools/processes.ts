/** `start_process`, `read_output`, `write_input`, `stop_process`: processes that go on between calls. */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { type Limits, optionRules } from '@sbx/core';
import { z } from 'zod';
import { lower, said } from '../limits.js';
import type { BackgroundProcess } from '../sandboxes/background-process.js';
import type { StayingSandbox } from '../sandboxes/session.js';
import { type ToolContext, type ToolDefinition, told } from './add-tool.js';
import { heldByContent, SMALL_BYTES } from './held-bytes.js';
import { endText, outputLines, shownFields, usageText } from './program-result.js';
import {
  argumentsOf,
  type ProcessState,
  processId,
  processLimits,
  processState,
  sandboxId,
} from './schemas.js';
import { shellArguments, shellOptions } from './shell.js';

/** How long `read_output` may wait. */
const WAIT_MS_MAX = 30_000;
const WAIT_MS_DEFAULT = 1000;
/** Of one call; more goes into a file. */
const INPUT_CHARS_MAX = 65_536;

const ANNOTATIONS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const startInput = argumentsOf({ ...shellArguments, limits: processLimits.optional(), sandbox: sandboxId });
const startOutput = z.object({
  sandbox: z.string(),
  process: z.string().describe('Its id, for read_output, write_input and stop_process'),
  note: z.string().nullable(),
});

export function startProcessTool(
  context: ToolContext,
): ToolDefinition<typeof startInput, typeof startOutput> {
  const most = highestOf(context);
  return {
    name: 'start_process',
    title: 'Start a process',
    description:
      'Starts a shell command that goes on after the call, such as a server or an interpreter, and returns its id. read_output shows ' +
      'what it writes. Other programs of the sandbox run beside it. It ends with the sandbox.',
    input: startInput,
    output: startOutput,
    annotations: ANNOTATIONS,
    heldBytes: () => SMALL_BYTES,
    run: ({ command, limits = {}, sandbox: wanted, ...shell }, ctx) =>
      context.session.useFiles(wanted, ctx.mcpReq.signal, async ({ workspace, id, note }) => {
        optionRules.checkCeilings(limits, most);
        const { cpuTimeMs, wallTimeMs } = most;
        const { id: process } = await workspace.processes.start(command, () =>
          workspace.sandbox.spawn('/bin/sh', ['-c', command], {
            ...shellOptions(shell),
            limits: { cpuTimeMs, wallTimeMs, ...said(limits) },
            stdin: 'pipe',
            stdout: 'pipe',
            stderr: 'pipe',
          }),
        );
        const text = `process ${process} has been started in sandbox ${id}`;
        return told(note === null ? text : `${text}\n${note}`, { sandbox: id, process, note });
      }),
  };
}

/** What a process may ask for at the most, which its times are where it asks for none. */
function highestOf({ options, engine }: ToolContext): Limits {
  const { ceilings, processWallTimeMs } = options;
  const { cpuTimeMs, wallTimeMs } = engine.info().ceilings; // an engine of the caller's may allow less
  return {
    ...ceilings,
    cpuTimeMs: lower(ceilings.cpuTimeMs, cpuTimeMs),
    wallTimeMs: lower(processWallTimeMs, wallTimeMs),
  };
}

interface Wanted {
  process: string;
  sandbox?: string | undefined;
}

type ProcessWork = (process: BackgroundProcess, inUse: StayingSandbox) => Promise<CallToolResult>;

/** Calls `work` with a process that was started before. */
function useProcess({ session }: ToolContext, wanted: Wanted, ctx: ServerContext, work: ProcessWork) {
  return session.useFiles(wanted.sandbox, ctx.mcpReq.signal, async (inUse) =>
    work(inUse.workspace.processes.find(wanted.process), inUse),
  );
}

const readInput = argumentsOf({
  process: processId,
  waitMs: z
    .int()
    .min(0)
    .max(WAIT_MS_MAX)
    .default(WAIT_MS_DEFAULT)
    .describe('How long to wait for output or its end where there is none, in milliseconds'),
  sandbox: sandboxId,
});

export function readOutputTool(context: ToolContext): ToolDefinition<typeof readInput, typeof processState> {
  return {
    name: 'read_output',
    title: 'Read the output of a process',
    description:
      'Returns what a process of start_process wrote since the last call, and how it ended if it has. Where there is nothing it waits.',
    input: readInput,
    output: processState,
    annotations: ANNOTATIONS,
    heldBytes: () => heldByState(context),
    run: (args, ctx) =>
      useProcess(context, args, ctx, async (process, inUse) => {
        await process.whenNews(args.waitMs, ctx.mcpReq.signal);
        return stateResult(process, inUse);
      }),
  };
}

const writeInput = argumentsOf({
  process: processId,
  text: z.string().max(INPUT_CHARS_MAX).default('').describe('For its standard input, as it is: with "\\n"'),
  end: z.boolean().default(false).describe('Whether its input ends after that'),
  sandbox: sandboxId,
});
const writeOutput = z.object({
  sandbox: z.string(),
  process: z.string(),
  isTaken: z.boolean().describe('Whether all of it is on its way; false: it waits until the process reads'),
});

export function writeInputTool(context: ToolContext): ToolDefinition<typeof writeInput, typeof writeOutput> {
  return {
    name: 'write_input',
    title: 'Write to a process',
    description:
      'Writes text to the standard input of a process of start_process; read_output shows the answer.',
    input: writeInput,
    output: writeOutput,
    annotations: ANNOTATIONS,
    heldBytes: ({ text }) => SMALL_BYTES + text.length,
    run: (args, ctx) =>
      useProcess(context, args, ctx, async (process, { id }) => {
        const isTaken = await process.write(args.text, args.end);
        const said = isTaken
          ? `process ${process.id} has its input`
          : `process ${process.id} has not read all of it yet; the rest waits for it`;
        return told(said, { sandbox: id, process: process.id, isTaken });
      }),
  };
}

const stopInput = argumentsOf({ process: processId, sandbox: sandboxId });

export function stopProcessTool(context: ToolContext): ToolDefinition<typeof stopInput, typeof processState> {
  return {
    name: 'stop_process',
    title: 'Stop a process',
    description:
      'Ends a process of start_process with all that it started, and returns the rest of its output.',
    input: stopInput,
    output: processState,
    annotations: { ...ANNOTATIONS, destructiveHint: true },
    heldBytes: () => heldByState(context),
    run: (args, ctx) =>
      useProcess(context, args, ctx, async (process, inUse) => {
        await process.stop();
        return stateResult(process, inUse);
      }),
  };
}

function heldByState({ options }: ToolContext): number {
  return SMALL_BYTES + 2 * heldByContent(options.shownBytesMax);
}

function stateResult(process: BackgroundProcess, { id: sandbox, note }: StayingSandbox): CallToolResult {
  const reading = process.read();
  const { result } = reading;
  const fields: ProcessState = {
    sandbox,
    process: process.id,
    isRunning: result === null,
    verdict: result?.status ?? null,
    exitCode: result?.exitCode ?? null,
    exitSignal: result?.exitSignal ?? null,
    ...shownFields(reading),
    note,
  };
  const state = result === null ? 'running' : endText(result.status, result);
  return told([`${state} · ${usageText(fields)}`, ...outputLines(fields)].join('\n'), fields);
}
