/** Edits of a model, by the framework's own reading of diffs. */
import type { Sandbox } from '@sbx/core';
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
        await sandbox.writeFile(moveTo ?? path, errors.applyDiff(text, diff), { mode });
        if (moveTo !== undefined && moveTo !== path) await sandbox.rm(path);
      }),
    deleteFile: ({ path }) => edit((sandbox) => sandbox.rm(path)),
  };
}
