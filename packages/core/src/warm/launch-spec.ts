/**
 * A launch spec: all that a program can see of its request before it opens its entry file. Equal keys are
 * interchangeable.
 */
import type { EngineCore } from '../engine/core.js';
import { type ResolvedLimits, resolveLimits } from '../options/limits.js';
import type { SandboxSpec } from '../pool/sandbox-spec.js';
import { rlimitsFor } from '../run/plan.js';
import { environmentFor } from '../run/request.js';
import type { FreshRunOptions } from '../types/internal.js';
import type { StandbyProgram } from '../types/standby.js';

export interface LaunchSpec {
  key: string;
  file: string;
  args: readonly string[];
  entry: string;
  /** Of an ordinary start, but for the entry file. */
  files: Readonly<Record<string, string>>;
  /** Of an ordinary start, but for the entry file. */
  options: Readonly<FreshRunOptions>;
  spec: SandboxSpec;
  /** A CPU set shows in a program's view of the machine, and its group is joined at the start only. */
  mayWait: boolean;
  limits: ResolvedLimits;
}

const PIPES = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;

/** A copy: later changes of what it is made from change nothing. The program must have been checked. */
export function makeLaunchSpec(core: EngineCore, program: StandbyProgram): LaunchSpec {
  const { file, args = [], entry, files = {}, env, ...rest } = structuredClone(program);
  const limits = resolveLimits(core.limits, program.limits);
  const spec = core.sandboxSpec(rest, limits, false);
  const rlimits = rlimitsFor(limits, core.openFilesMax, !core.features['cpu-accounting'].available);
  // The order of the environment can be seen too.
  const { processCount } = limits; // an rlimit too, where it has a user of its own
  const environment = environmentFor({ env }, undefined, core.toolchainPath);
  const seen = [
    file,
    args,
    entry,
    environment,
    rest.cwd ?? null,
    rlimits,
    processCount,
    spec.key,
    files,
    rest.seccompFamily ?? 'any',
  ];
  const options: FreshRunOptions = { ...rest, env: environment, ...PIPES };
  const mayWait = limits.cpuSet === null;
  return { key: JSON.stringify(seen), file, args, entry, files, options, spec, mayWait, limits };
}
