/** The files of a session's sandboxes as resources: `sbx://<sandbox>/<path from the work folder>`. */
import { type McpServer, type Resource, ResourceTemplate } from '@modelcontextprotocol/server';
import { ToolError } from './sandboxes/tool-error.js';
import { listFiles } from './sandboxes/walk.js';
import type { Workspace } from './sandboxes/workspace.js';
import type { ToolContext } from './tools/add-tool.js';
import { resourceError } from './tools/failure.js';
import { contentOf, readPart } from './tools/file-content.js';
import { heldByContent, LIST_BYTES } from './tools/held-bytes.js';

/** Files of each sandbox that a list names. */
const LIST_MAX = 500;

export function addResources(server: McpServer, context: ToolContext): void {
  const { session, options, memory } = context;
  const template = new ResourceTemplate('sbx://{sandbox}/{+path}', {
    list: (ctx) => {
      const workspaces = session.list();
      const namesBytes = Math.max(0, ...workspaces.map((workspace) => workspace.namesBytes));
      return memory.during(namesBytes + workspaces.length * LIST_BYTES, ctx, async () => {
        const resources: Resource[] = [];
        // One after another: of one folder at a time all names are in memory.
        for (const workspace of workspaces) resources.push(...(await resourcesOf(workspace)));
        return { resources };
      });
    },
  });
  const config = { title: 'Files', description: 'Files in the work folders of this session’s sandboxes' };
  server.registerResource('files', template, config, async (uri, variables, ctx) => {
    const bytesMax = options.fileBytesMax;
    try {
      const workspace = session.find(String(variables.sandbox));
      const path = pathOf(String(variables.path));
      return await memory.during(bytesMax + heldByContent(bytesMax), ctx, async () => {
        const part = await workspace.use(({ sandbox }) =>
          readPart(sandbox, path, { offsetBytes: 0, bytesMax }),
        );
        return { contents: [{ uri: uri.href, ...contentsOf(part.bytes, part.sizeBytes) }] };
      });
    } catch (error) {
      throw resourceError(error, options.logger);
    }
  });
}

function pathOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new ToolError('The path in the URI must be percent-encoded: a % is %25. resources/list has it so.');
  }
}

/** A larger file than one message takes is cut, which is said. */
function contentsOf(bytes: Uint8Array, sizeBytes: number) {
  const { content, encoding } = contentOf(bytes);
  const cut = bytes.byteLength < sizeBytes ? { _meta: { 'sbx/cutBytes': sizeBytes - bytes.byteLength } } : {};
  return encoding === 'utf-8'
    ? { mimeType: 'text/plain', text: content, ...cut }
    : { mimeType: 'application/octet-stream', blob: content, ...cut };
}

async function resourcesOf(workspace: Workspace): Promise<Resource[]> {
  const { id, sandbox } = workspace;
  // One that is closed meanwhile has no files.
  const { files } = await workspace
    .use(() => listFiles(sandbox, '.', { recursive: true, countMax: LIST_MAX }))
    .catch(() => ({ files: [] }));
  return files
    .filter(({ kind }) => kind === 'file')
    .map(({ path, sizeBytes }) => ({
      uri: `sbx://${id}/${path.split('/').map(encodeURIComponent).join('/')}`,
      name: path,
      ...(sizeBytes === null ? {} : { size: sizeBytes }),
    }));
}
