/** `create_sandbox`, `close_sandbox`. */
import { z } from 'zod';
import { said } from '../limits.js';
import { type ToolContext, type ToolDefinition, told } from './add-tool.js';
import { SMALL_BYTES } from './held-bytes.js';
import { argumentsOf, sandboxLimits } from './schemas.js';

const createInput = argumentsOf({ limits: sandboxLimits.optional() });
const createOutput = z.object({
  sandbox: z.string().describe('Its id, for the other tools'),
  workFolder: z.string(),
  memoryBytes: z.int(),
  idleMs: z.int().describe('Without use for so long it is closed'),
});

export function createSandboxTool(
  context: ToolContext,
): ToolDefinition<typeof createInput, typeof createOutput> {
  const { idleMs } = context.options;
  return {
    name: 'create_sandbox',
    title: 'Create a sandbox',
    description:
      'Makes one more sandbox with files of its own, for work that must not touch the other, or needs other limits. Close it when ' +
      'it is not needed any more.',
    input: createInput,
    output: createOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    heldBytes: () => SMALL_BYTES,
    async run({ limits = {} }, ctx) {
      const { id, memoryBytes } = await context.session.create(said(limits), ctx.mcpReq.signal);
      return told(`sandbox ${id}`, { sandbox: id, workFolder: '/w', memoryBytes, idleMs });
    },
  };
}

const closeInput = argumentsOf({ sandbox: z.string().max(64).describe('Id from create_sandbox') });
const closeOutput = z.object({ sandbox: z.string() });

export function closeSandboxTool(
  context: ToolContext,
): ToolDefinition<typeof closeInput, typeof closeOutput> {
  return {
    name: 'close_sandbox',
    title: 'Close a sandbox',
    description: 'Ends whatever runs in a sandbox and removes it with its files.',
    input: closeInput,
    output: closeOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    heldBytes: () => SMALL_BYTES,
    async run({ sandbox }) {
      await context.session.find(sandbox).close();
      return told(`sandbox ${sandbox} is closed`, { sandbox });
    },
  };
}
