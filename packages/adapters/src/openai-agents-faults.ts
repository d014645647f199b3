/** What went wrong, in the framework's own errors. */
import { isSbxError, type SbxError } from '@sbx/core';
import type { OpenAIAgentsFramework, OpenAIAgentsManifest } from './openai-agents-types.js';

/** Of the framework, as far as it does not depend on a kind of manifest. */
export type Errors = Omit<OpenAIAgentsFramework<OpenAIAgentsManifest>, 'Manifest' | 'cloneManifest'>;

const IN_FRAMEWORK: Readonly<Partial<Record<SbxError['code'], keyof Errors>>> = {
  SBX_CLOSED: 'SandboxLifecycleError',
};

/** The agent's to mend. */
const MENDABLE: ReadonlySet<string> = new Set(['FileAccessError', 'OverloadedError', 'ProgramNotFoundError']);

/** What the work at hand rejects with. */
export async function told<T>(errors: Errors, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSbxError(error)) throw error;
    const { code, message, name } = error;
    const kind = IN_FRAMEWORK[code];
    const isMendable = MENDABLE.has(name) || code === 'SBX_INVALID_OPTIONS' || code === 'SBX_BAD_CWD';
    if (kind === undefined && !isMendable) throw error;
    const ErrorClass = errors[kind ?? 'UserError'] as Errors['SandboxLifecycleError'];
    throw Object.assign(new ErrorClass(message), { cause: error });
  }
}

/** Throws for what an sbx sandbox has not. */
export function unsupported(errors: Errors, feature: string, why: string, details = {}): never {
  throw new errors.SandboxUnsupportedFeatureError(`sbx does not support ${feature}: ${why}`, {
    provider: 'sbx',
    feature,
    ...details,
  });
}

export function refuseRunAs(errors: Errors, runAs: string | undefined): void {
  if (runAs !== undefined && runAs.trim() !== '')
    unsupported(errors, 'runAs', 'a sandbox has one user. Leave it out.');
}
