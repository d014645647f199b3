import { Sandbox } from '@sbx/core';
import type { RunEngine } from './types.js';

/** Core's process-wide engine. One object, so that what was found out about its sandboxes is remembered. */
export const defaultEngine: RunEngine = {
  run: (file, args, options) => Sandbox.run(file, args, options),
};
