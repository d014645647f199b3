/** Edits of a model, by the framework's own reading of diffs. */
import { FileAccessError, type Sandbox } from '@sbx/core';
import { type Errors, told } from './openai-agents-faults.js';
import type { OpenAIAgentsEditor } from './openai-agents-types.js';
import { READ_BYTES_MAX, unlessMissing } from './shared/files.js';

export function editorOf(errors: Errors, sandboxNow: () => Sandbox): OpenAIAgentsEditor {
  const edit = async (work: (sandbox: Sandbox) => Promise<void>) => {
    await told(errors, work(sandboxNow()));
    return {};
  };
  return {
    createFile: ({ path, diff }) =>
      edit(async (sandbox) => {
        if ((await unlessMissing(sandbox.lstat(path))) !== null)
          throw new errors.UserError(`The file already exists: "${path}". Update it, or delete it first.`);
        await sandbox.writeFile(path, errors.applyDiff('', diff, 'create'));
      }),
    updateFile: ({ path, diff, moveTo }) =>
      edit(async (sandbox) => {
        const { mode } = await sandbox.stat(path);
        const text = await sandbox.readTextFile(path, { maxBytes: READ_BYTES_MAX });
        const next = errors.applyDiff(text, diff);
        const isCopied = moveTo !== undefined && !(await isRenamed(sandbox, path, moveTo));
        await sandbox.writeFile(moveTo ?? path, next, { mode });
        if (isCopied) await sandbox.rm(path);
      }),
    deleteFile: ({ path }) => edit((sandbox) => sandbox.rm(path)),
  };
}

/**
 * False: it is to be copied, between file systems. A rename leaves a file alone whose other name this is (`a`
 * and `./a`); written there and removed here, it would be gone.
 */
async function isRenamed(sandbox: Sandbox, from: string, to: string): Promise<boolean> {
  const folder = to.slice(0, Math.max(0, to.lastIndexOf('/')));
  if (folder !== '') await sandbox.mkdir(folder, { recursive: true });
  try {
    await sandbox.rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof FileAccessError && error.errnoName === 'EXDEV') return false;
    throw error;
  }
}
