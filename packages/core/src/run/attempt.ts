/** The paths at which a program is looked for, for the start message and for an error about it: pure. */
import type { EngineCore } from '../engine/core.js';
import type { StartAttempt } from '../pool/failures.js';
import { pathOf } from './environment.js';
import { searchPaths, searchPathsCwdFirst } from './plan.js';
import { findsFirst, type ProgramRequest } from './request.js';

export function attemptOf(
  request: ProgramRequest,
  environment: readonly string[],
  { workDir, hasMinimalRoot }: Pick<EngineCore, 'workDir' | 'hasMinimalRoot'>,
): StartAttempt {
  const { file, options } = request;
  const path = pathOf(environment);
  const first = findsFirst(request);
  return {
    file,
    cwd: options.cwd ?? workDir,
    paths: (first ? searchPathsCwdFirst : searchPaths)(file, path),
    findsFirst: first,
    minimalRoot: hasMinimalRoot,
    noPath: !file.includes('/') && path === undefined,
  };
}
