/**
 * `run_code`: source text in one of the languages, compiled where it must be, run in the sandbox with its
 * files.
 */
import { extname } from 'node:path';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { type Limits, optionRules, type Sandbox } from '@sbx/core';
import type { Artifact, Language } from '@sbx/languages';
import { z } from 'zod';
import { said } from '../limits.js';
import type { SandboxInUse } from '../sandboxes/session.js';
import { ToolError } from '../sandboxes/tool-error.js';
import type { Workspace } from '../sandboxes/workspace.js';
import type { ToolContext, ToolDefinition } from './add-tool.js';
import { heldByProgram } from './held-bytes.js';
import { programToolResult, type Told } from './program-result.js';
import { progressOf } from './progress.js';
import { argumentsOf, programLimits, programResult, sandboxId } from './schemas.js';

function inputOf({ registry, options }: ToolContext) {
  const names = registry.list().map(({ name }) => name);
  return argumentsOf({
    language: z
      .string()
      .max(64)
      .describe(`One of ${names.join(', ')}`),
    code: z.string().max(options.fileBytesMax).describe('The source text'),
    stdin: z.string().max(options.fileBytesMax).optional().describe('Text for standard input'),
    limits: programLimits.optional(),
    sandbox: sandboxId,
  });
}

type Input = ReturnType<typeof inputOf>;

export function runCodeTool(context: ToolContext): ToolDefinition<Input, typeof programResult> {
  return {
    name: 'run_code',
    title: 'Run code',
    description:
      'Runs source text in an isolated Linux sandbox without network and returns its verdict, output, CPU time and peak memory. ' +
      'It starts in the work folder /w, where write_file puts files. A program that fails is a result, not an error.',
    input: inputOf(context),
    output: programResult,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    heldBytes: (args) => heldByProgram(args, context),
    run: (args, ctx) =>
      context.session.use(args.sandbox, ctx.mcpReq.signal, (inUse) => {
        const language = context.registry.find(args.language);
        const run = () => new CodeRun(context, inUse, ctx).run(language, args);
        return language.compile === undefined ? run() : inUse.workspace.exclusively(run);
      }),
  };
}

type Request = z.output<Input>;

class CodeRun {
  readonly #context: ToolContext;
  readonly #workspace: Workspace;
  readonly #told: Omit<Told, 'stage'>;
  readonly #ctx: ServerContext;

  constructor(context: ToolContext, { workspace, id, note }: SandboxInUse, ctx: ServerContext) {
    this.#context = context;
    this.#workspace = workspace;
    this.#ctx = ctx;
    this.#told = { sandbox: id, note, shownBytesMax: context.options.shownBytesMax };
  }

  async run(language: Language, request: Request): Promise<CallToolResult> {
    const { registry, engine, options } = this.#context;
    optionRules.checkCeilings(request.limits, options.ceilings);
    const { signal } = this.#ctx.mcpReq;
    const compilation = await registry.compile({
      engine,
      signal,
      language: language.name,
      code: request.code,
      ...this.#fileName(language),
    });
    if (!compilation.ok) return programToolResult(compilation.result, { ...this.#told, stage: 'compile' });
    return this.#runArtifact(compilation.artifact, request);
  }

  /** Of its own for each call where a name is free; the names of what a compiler makes are not. */
  #fileName({ compile, fileName }: Language): { fileName?: string } {
    if (compile !== undefined || typeof fileName !== 'string') return {};
    return { fileName: `run_code_${this.#workspace.nextCodeNumber()}${extname(fileName)}` };
  }

  async #runArtifact(artifact: Artifact, request: Request): Promise<CallToolResult> {
    const { sandbox, memoryBytes } = this.#workspace;
    const names = Object.keys(artifact.files);
    for (const name of names) await refuseTaken(sandbox, name);
    const { registry, engine } = this.#context;
    const limits: Limits = { memoryBytes, ...said(request.limits ?? {}) };
    const { file, args, options } = registry.prepareRun(artifact, { engine, limits });
    const progress = progressOf(this.#ctx, this.#context.memory);
    try {
      const result = await sandbox.run(file, args, {
        ...options,
        stdin: request.stdin === undefined ? 'empty' : { text: request.stdin },
        signal: this.#ctx.mcpReq.signal,
        onStdout: progress?.onStdout,
        onStderr: progress?.onStderr,
      });
      await progress?.finish();
      return programToolResult(result, { ...this.#told, stage: 'run' });
    } finally {
      for (const name of names) await remove(sandbox, name);
    }
  }
}

async function refuseTaken(sandbox: Sandbox, name: string): Promise<void> {
  const found = await sandbox.lstat(name).catch(() => null);
  if (found === null) return;
  throw new ToolError(
    `The work folder has something named ${name}, which run_code would replace. Rename it with run_command, or use another sandbox.`,
  );
}

/** The program may have removed it, and the sandbox may be gone. */
async function remove(sandbox: Sandbox, name: string): Promise<void> {
  await sandbox.rm(name, { recursive: true, force: true }).catch(() => undefined);
}
