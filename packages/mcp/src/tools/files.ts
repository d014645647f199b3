/** `write_file`, `read_file`, `list_files`. */
import { z } from 'zod';
import { listFiles } from '../sandboxes/walk.js';
import { type ToolContext, type ToolDefinition, told } from './add-tool.js';
import { bytesOf, contentOf, readPart } from './file-content.js';
import { heldByContent, LIST_BYTES, SMALL_BYTES } from './held-bytes.js';
import { argumentsOf, encoding, fileEntry, path, sandboxId } from './schemas.js';

/** Entries of one list. */
const LIST_MAX = 1000;
const LIST_DEFAULT = 200;

function writeInputOf({ options }: ToolContext) {
  return argumentsOf({
    path,
    content: z
      .string()
      .max(options.fileBytesMax)
      .describe('What the file is to have; it is replaced as a whole'),
    encoding,
    executable: z.boolean().default(false).describe('Whether programs may execute it'),
    sandbox: sandboxId,
  });
}

const writeOutput = z.object({
  sandbox: z.string(),
  path: z.string(),
  sizeBytes: z.int(),
  note: z.string().nullable(),
});

export function writeFileTool(
  context: ToolContext,
): ToolDefinition<ReturnType<typeof writeInputOf>, typeof writeOutput> {
  return {
    name: 'write_file',
    title: 'Write a file',
    description: 'Creates or replaces a file of the sandbox; folders that lead to it are made.',
    input: writeInputOf(context),
    output: writeOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    heldBytes: ({ content }) => SMALL_BYTES + content.length,
    run: (args, ctx) =>
      context.session.useFiles(
        args.sandbox,
        ctx.mcpReq.signal,
        async ({ id, note, workspace: { sandbox } }) => {
          const bytes = bytesOf(args.content, args.encoding);
          await sandbox.writeFile(args.path, bytes, { mode: args.executable ? 0o755 : 0o644 });
          const fields = { sandbox: id, path: args.path, sizeBytes: bytes.byteLength, note };
          return told(
            `wrote ${bytes.byteLength} bytes to ${args.path}${note === null ? '' : `\n${note}`}`,
            fields,
          );
        },
      ),
  };
}

function readInputOf({ options }: ToolContext) {
  return argumentsOf({
    path,
    offsetBytes: z.int().min(0).default(0).describe('Where to begin'),
    maxBytes: z
      .int()
      .min(4)
      .max(options.fileBytesMax)
      .default(Math.min(options.fileBytesMax, options.shownBytesMax))
      .describe('Bytes to read at the most'),
    sandbox: sandboxId,
  });
}

const readOutput = z.object({
  sandbox: z.string(),
  path: z.string(),
  content: z.string(),
  encoding: z.enum(['utf-8', 'base64']).describe('base64 where the bytes are no text'),
  offsetBytes: z.int(),
  sizeBytes: z.int().describe('Of the whole file'),
  nextOffsetBytes: z.int().nullable().describe('Where to go on; null at the end'),
});

export function readFileTool(
  context: ToolContext,
): ToolDefinition<ReturnType<typeof readInputOf>, typeof readOutput> {
  return {
    name: 'read_file',
    title: 'Read a file',
    description: 'Reads a file of the sandbox, or a part of it: text as it is, other bytes as base64.',
    input: readInputOf(context),
    output: readOutput,
    annotations: { readOnlyHint: true, openWorldHint: false },
    heldBytes: ({ maxBytes }) => SMALL_BYTES + maxBytes + heldByContent(maxBytes),
    run: ({ path: file, offsetBytes, maxBytes, sandbox: wanted }, ctx) =>
      context.session.useFiles(wanted, ctx.mcpReq.signal, async ({ id, workspace: { sandbox } }) => {
        const { bytes, sizeBytes } = await readPart(sandbox, file, { offsetBytes, bytesMax: maxBytes });
        const end = offsetBytes + bytes.byteLength;
        const nextOffsetBytes = end < sizeBytes ? end : null;
        const fields = {
          sandbox: id,
          path: file,
          ...contentOf(bytes),
          offsetBytes,
          sizeBytes,
          nextOffsetBytes,
        };
        const rest =
          nextOffsetBytes === null
            ? ''
            : `\n[… ${sizeBytes - end} more bytes, go on at offsetBytes ${end} …]`;
        return told(fields.content + rest, fields);
      }),
  };
}

const listInput = argumentsOf({
  path: path.default('.'),
  recursive: z.boolean().default(false).describe('Folders below as well'),
  maxCount: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT).describe('Entries at the most'),
  sandbox: sandboxId,
});

const listOutput = z.object({
  sandbox: z.string(),
  path: z.string(),
  entries: z.array(fileEntry),
  isCut: z.boolean().describe('Whether there is more'),
});

export function listFilesTool(context: ToolContext): ToolDefinition<typeof listInput, typeof listOutput> {
  return {
    name: 'list_files',
    title: 'List files',
    description: 'Lists a folder of the sandbox; without a path its work folder.',
    input: listInput,
    output: listOutput,
    annotations: { readOnlyHint: true, openWorldHint: false },
    heldBytes: ({ sandbox }) => context.session.namesBytesOf(sandbox) + LIST_BYTES,
    run: ({ path: folder, recursive, maxCount, sandbox: wanted }, ctx) =>
      context.session.useFiles(wanted, ctx.mcpReq.signal, async ({ id, workspace: { sandbox } }) => {
        const { files, isCut } = await listFiles(sandbox, folder, { recursive, countMax: maxCount });
        const lines = files.map(({ path: name, kind, sizeBytes }) =>
          kind === 'dir' ? `${name}/` : `${name} (${kind === 'file' ? `${sizeBytes} bytes` : kind})`,
        );
        if (isCut) lines.push(`[… there is more than these ${files.length} …]`);
        const text = lines.length === 0 ? 'the folder is empty' : lines.join('\n');
        return told(text, { sandbox: id, path: folder, entries: files, isCut });
      }),
  };
}
