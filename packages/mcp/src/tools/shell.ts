/** A line of shell, as the tools that run one take it. */
import { DEFAULT_ENV } from '@sbx/core';
import { z } from 'zod';
import { path } from './schemas.js';

/** What the kernel takes as one argument. */
const COMMAND_CHARS_MAX = 100_000;
const VARIABLES_MAX = 256;

export const shellArguments = {
  command: z
    .string()
    .min(1)
    .max(COMMAND_CHARS_MAX)
    .describe('A line for /bin/sh; longer scripts go to run_code'),
  cwd: path.optional().describe('Folder to start in; default the work folder /w'),
  env: z
    .record(z.string().max(256), z.string().max(32_768))
    .refine(
      (variables) => Object.keys(variables).length <= VARIABLES_MAX,
      `at most ${VARIABLES_MAX} variables`,
    )
    .optional()
    .describe('Variables besides PATH, HOME and LANG'),
};

interface ShellPlace {
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
}

export function shellOptions({ cwd, env }: ShellPlace) {
  return { cwd, env: { ...DEFAULT_ENV, ...env } };
}
