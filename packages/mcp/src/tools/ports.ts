/** `expose_port`: where a server in the sandbox can be reached. */
import { z } from 'zod';
import { type ToolContext, type ToolDefinition, told } from './add-tool.js';
import { SMALL_BYTES } from './held-bytes.js';
import { argumentsOf, sandboxId } from './schemas.js';

const exposeInput = argumentsOf({
  port: z.int().min(1).max(65_535).describe('Port that a server in the sandbox listens on, at 127.0.0.1'),
  sandbox: sandboxId,
});
const exposeOutput = z.object({
  sandbox: z.string(),
  port: z.int(),
  url: z.string().describe('Address on the machine of the server, until the sandbox is closed'),
});

export function exposePortTool(
  context: ToolContext,
): ToolDefinition<typeof exposeInput, typeof exposeOutput> {
  return {
    name: 'expose_port',
    title: 'Expose a port',
    description:
      'Gives a port of the sandbox an address on the machine that this server runs on, for its user to open in a browser. The server ' +
      'in the sandbox may be started later. Programs of the sandbox itself use 127.0.0.1 without it.',
    input: exposeInput,
    output: exposeOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    heldBytes: () => SMALL_BYTES,
    run: ({ port, sandbox: wanted }, ctx) =>
      context.session.useFiles(wanted, ctx.mcpReq.signal, async ({ workspace, id }) => {
        const { url } = await workspace.expose(port);
        return told(`port ${port} of sandbox ${id} is at ${url}`, { sandbox: id, port, url });
      }),
  };
}
