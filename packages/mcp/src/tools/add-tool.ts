/** How a tool is put on a server: its arguments checked, its failures told. */
import type {
  CallToolResult,
  McpServer,
  ServerContext,
  ToolAnnotations,
  ToolCallback,
} from '@modelcontextprotocol/server';
import type { Engine } from '@sbx/core';
import type { Registry } from '@sbx/languages';
import type { z } from 'zod';
import type { ResolvedOptions } from '../options.js';
import type { SandboxSession } from '../sandboxes/session.js';
import type { CallShare } from './call-memory.js';
import { sentenceFor } from './failure.js';

/** What all tools of one session share. */
export interface ToolContext {
  options: ResolvedOptions;
  engine: Engine;
  registry: Registry;
  session: SandboxSession;
  memory: CallShare;
}

export interface ToolDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  /** What a call may hold of the host's memory, the answer included. */
  heldBytes(args: z.output<Input>): number;
  run(args: z.output<Input>, ctx: ServerContext): Promise<CallToolResult>;
}

export function addTool<Input extends z.ZodType, Output extends z.ZodType>(
  server: McpServer,
  context: ToolContext,
  { name, title, description, input, output, annotations, heldBytes, run }: ToolDefinition<Input, Output>,
): void {
  const config = { title, description, inputSchema: input, outputSchema: output, annotations };
  const call = async (args: z.output<Input>, ctx: ServerContext): Promise<CallToolResult> => {
    try {
      return await context.memory.during(heldBytes(args), ctx, () => run(args, ctx));
    } catch (error) {
      if (ctx.mcpReq.signal.aborted) throw error; // nobody waits for an answer
      return failed(sentenceFor(error, name, context.options.logger));
    }
  };
  server.registerTool(name, config, call as ToolCallback<Input>);
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** A result as fields, and as a sentence for hosts that show only text. */
export function told(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}
