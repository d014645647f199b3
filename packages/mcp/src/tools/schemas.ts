/** What tools take and give, as models and clients see it. */
import { z } from 'zod';

const ms = (what: string) => z.number().positive().max(9e9).describe(`${what}, in milliseconds`);
const bytes = (what: string) => z.int().positive().describe(`${what}, in bytes`);

const TIME_HINT =
  ' Give limits.wallTimeMs (real time) or limits.cpuTimeMs (time on the CPU), in milliseconds.';

/** Of what a caller made up, in the answer. */
const SHOWN_KEYS = 8;
const SHOWN_CHARS = 64;

/**
 * What a tool takes, and no other name: a model that tries one is told those there are, since few hosts show
 * it the schema again.
 */
export function argumentsOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error(issue) {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const known = Object.keys((issue.inst as z.ZodObject).shape);
      const isTime =
        known.includes('limits') && issue.keys.some((key) => /^time_?out|^time_?limit/i.test(key));
      const shown = issue.keys.slice(0, SHOWN_KEYS).map((key) => JSON.stringify(key.slice(0, SHOWN_CHARS)));
      const unknown = [...shown, ...(issue.keys.length > SHOWN_KEYS ? ['…'] : [])].join(', ');
      return `Unrecognized key: ${unknown}. Known are ${known.join(', ')}.${isTime ? TIME_HINT : ''}`;
    },
  });
}

/** Limits of a program. */
export const programLimits = argumentsOf({
  cpuTimeMs: ms('CPU time of the program and all it starts').optional(),
  wallTimeMs: ms('Real time').optional(),
  memoryBytes: bytes('Memory of all its processes, files in the sandbox included').optional(),
  processCount: z.int().positive().describe('Processes and threads alive at once').optional(),
  outputBytes: z.int().min(0).describe('Bytes of each output; more ends the program').optional(),
  fileBytes: z.int().min(0).describe('Size of any file it writes').optional(),
}).describe('What it may use. Absent ones have defaults; more than the server allows is an error.');

/** Limits of a sandbox as a whole, and defaults of its programs. */
export const sandboxLimits = programLimits
  .extend({
    diskBytes: bytes('Size of the work folder and of /tmp, each').optional(),
    diskFileCount: z.int().positive().describe('Files and folders in each of the two').optional(),
  })
  .describe(
    'Memory, processes and disk bound the sandbox as a whole; the others are defaults of its programs.',
  );

export const sandboxId = z
  .string()
  .max(64)
  .optional()
  .describe('Id from create_sandbox. Absent: the sandbox of this session.');

export const path = z
  .string()
  .min(1)
  .max(4096)
  .describe('Path in the sandbox; relative ones start at the work folder /w');

export const encoding = z
  .enum(['utf-8', 'base64'])
  .default('utf-8')
  .describe('How `content` is written: text, or base64 for bytes');

const VERDICTS =
  'ok, exit (another exit code), signal, cpu-limit, wall-limit, memory-limit, output-limit, forbidden-syscall or killed';

/** What a program wrote, as a result shows it, and what it used. */
const shownOutput = {
  stdout: z.string(),
  stderr: z.string(),
  cut: z.object({
    stdoutBytes: z.int().describe('Bytes that stdout lacks here'),
    stderrBytes: z.int(),
  }),
  cpuTimeMs: z.number(),
  wallTimeMs: z.number(),
  memoryPeakBytes: z.int().nullable(),
  note: z.string().nullable(),
};

/** How a program ended. */
export const programResult = z.object({
  sandbox: z.string().nullable().describe('Id of the sandbox; null when it is gone'),
  verdict: z.string().describe(VERDICTS),
  stage: z.enum(['compile', 'run']).describe('compile: it did not compile, and nothing was run'),
  exitCode: z.int().nullable(),
  exitSignal: z.string().nullable(),
  ...shownOutput,
});
export type ProgramResult = z.infer<typeof programResult>;

/** Limits of a process that goes on between calls: its output is never captured whole. */
export const processLimits = programLimits.omit({ outputBytes: true });

export const processId = z.string().max(16).describe('Id from start_process');

/** A process that goes on between calls, and what it wrote since the last one. */
export const processState = z.object({
  sandbox: z.string(),
  process: z.string(),
  isRunning: z.boolean(),
  verdict: z.string().nullable().describe(`${VERDICTS}; null while it runs`),
  exitCode: z.int().nullable(),
  exitSignal: z.string().nullable(),
  ...shownOutput,
});
export type ProcessState = z.infer<typeof processState>;

export const fileEntry = z.object({
  path: z.string(),
  kind: z.enum(['file', 'dir', 'symlink', 'other']),
  sizeBytes: z.int().nullable(),
});
