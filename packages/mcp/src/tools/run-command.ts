/** `run_command`: a line of shell in the sandbox. */
import { optionRules } from '@sbx/core';
import { z } from 'zod';
import type { ToolContext, ToolDefinition } from './add-tool.js';
import { heldByProgram } from './held-bytes.js';
import { programToolResult } from './program-result.js';
import { progressOf } from './progress.js';
import { argumentsOf, programLimits, programResult, sandboxId } from './schemas.js';
import { shellArguments, shellOptions } from './shell.js';

function inputOf({ options }: ToolContext) {
  return argumentsOf({
    ...shellArguments,
    stdin: z.string().max(options.fileBytesMax).optional().describe('Text for standard input'),
    limits: programLimits.optional(),
    sandbox: sandboxId,
  });
}

type Input = ReturnType<typeof inputOf>;

export function runCommandTool(context: ToolContext): ToolDefinition<Input, typeof programResult> {
  const { shownBytesMax, ceilings } = context.options;
  return {
    name: 'run_command',
    title: 'Run a command',
    description:
      'Runs a shell command in an isolated Linux sandbox without network and returns its verdict, output, CPU time and peak ' +
      'memory. Every call is a new shell in the same files: `cd` and variables do not stay, files do. Processes that it leaves in the ' +
      'background end with it; start_process is for those that go on.',
    input: inputOf(context),
    output: programResult,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    heldBytes: (args) => heldByProgram(args, context),
    run: ({ command, stdin, limits, sandbox: id, ...shell }, ctx) =>
      context.session.use(id, ctx.mcpReq.signal, async ({ workspace, id: name, note }) => {
        optionRules.checkCeilings(limits, ceilings);
        const progress = progressOf(ctx, context.memory);
        const result = await workspace.sandbox.run('/bin/sh', ['-c', command], {
          ...shellOptions(shell),
          stdin: stdin === undefined ? 'empty' : { text: stdin },
          limits,
          signal: ctx.mcpReq.signal,
          onStdout: progress?.onStdout,
          onStderr: progress?.onStderr,
        });
        await progress?.finish();
        return programToolResult(result, { sandbox: name, stage: 'run', note, shownBytesMax });
      }),
  };
}
