import type { Engine, Sandbox } from '@sbx/core';
import type { RunPlan } from './types.js';

/**
 * The sandbox for a run whose streams are ours. Its limits are those of the one program: some can only be
 * given here.
 */
export function makeSandbox(engine: Engine, plan: RunPlan, signal: AbortSignal): Promise<Sandbox> {
  const { files, limits, env, network, seccomp, seccompAction } = plan.options;
  return engine.createSandbox({ files, limits, env, network, seccomp, seccompAction, signal });
}
