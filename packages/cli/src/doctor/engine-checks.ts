/** What the engine itself says: each guarantee, and whether it opens and runs. */
import { type EngineInfo, FEATURES, type Feature } from '@sbx/core';
import { GUARANTEE_FACTS } from '@sbx/serving';
import { formatDuration } from '../units.js';
import type { Check, Trial } from './types.js';

const MEND_ABOVE = 'Mend the rows above that are missing.';

export function engineChecks(trial: Trial): Check[] {
  const features = trial.info === null ? [] : FEATURES.map((feature) => featureCheck(feature, trial.info!));
  return [...features, ...bareCheck(trial), runCheck(trial)];
}

function featureCheck(feature: Feature, info: EngineInfo): Check {
  const { available, mechanism, reason } = info.features[feature];
  const { required, why, layer, fix: ownFix = MEND_ABOVE } = GUARANTEE_FACTS[feature];
  const fix = available ? null : ownFix;
  const state = available ? 'ok' : 'missing';
  const found = available ? (mechanism ?? 'available') : (reason ?? 'not available');
  return { id: `feature:${feature}`, layer, title: `Guarantee ${feature}`, required, state, found, why, fix };
}

/** What would still be in the way once the guarantees were there. */
function bareCheck(trial: Trial): Check[] {
  if (trial.kind !== 'refused' || trial.bareError === null) return [];
  if (trial.bareError.message === trial.error.message) return [];
  const check: Check = {
    id: 'bare-sandbox',
    layer: 'engine',
    title: 'A sandbox can be made, guarantees aside',
    required: true,
    state: 'missing',
    found: factOf(trial.bareError),
    why: 'Namespaces and mounts come first; cgroups only bound what runs in them.',
    fix: hintOf(trial.bareError),
  };
  return [check];
}

function runCheck(trial: Trial): Check {
  const base = {
    id: 'run',
    layer: 'engine',
    title: 'A program runs in a sandbox',
    required: true,
    why: 'This is what all the rest is for.',
  } as const;
  if (trial.kind !== 'ran')
    return { ...base, state: 'missing', found: factOf(trial.error), fix: hintOf(trial.error) };
  const { result, ms } = trial;
  const end = `/bin/true ended with ${result.status} after ${formatDuration(ms)}`;
  return result.ok
    ? { ...base, state: 'ok', found: end, fix: null }
    : {
        ...base,
        state: 'missing',
        found: end,
        fix: 'Please report it, with the output of sbx doctor --json.',
      };
}

/** The message without the hint that core ends it with: that is shown as the fix. */
function factOf(error: Error): string {
  const { hint } = error as { hint?: string };
  return hint === undefined ? error.message : error.message.replace(hint, '').trim();
}

function hintOf(error: Error): string {
  return (error as { hint?: string }).hint ?? MEND_ABOVE;
}
