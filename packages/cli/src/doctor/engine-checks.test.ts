import { type EngineInfo, FEATURES, PermissionError, UnsupportedError } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { engineChecks } from './engine-checks.js';
import type { Trial } from './types.js';

const missing = new UnsupportedError({
  code: 'SBX_REQUIRED_FEATURE_MISSING',
  message: 'No memory-limit.',
  hint: 'Delegate.',
});
const idMap = new PermissionError({ layer: 'apparmor', message: 'No user map.', hint: 'Add a profile.' });

test('what is missing has a fix that does not repeat what was found', () => {
  const features = Object.fromEntries(
    FEATURES.map((feature) => [feature, { available: false, mechanism: null, reason: 'no cgroup' }]),
  );
  const info = { features } as unknown as EngineInfo;
  const trial: Trial = { kind: 'refused', error: missing, info, bareError: null };
  const rows = engineChecks(trial).filter(({ id }) => id.startsWith('feature:'));
  expect(rows).toHaveLength(FEATURES.length);
  for (const { found, fix } of rows)
    expect([found, fix]).toEqual(['no cgroup', expect.not.stringContaining(found)]);
});

describe('an engine that does not open', () => {
  test('has a row with what was found and the fix, each once', () => {
    const trial: Trial = { kind: 'refused', error: missing, info: null, bareError: null };
    expect(engineChecks(trial)).toEqual([
      expect.objectContaining({ id: 'run', state: 'missing', found: 'No memory-limit.', fix: 'Delegate.' }),
    ]);
  });

  test('and another for what would be in the way after that', () => {
    const trial: Trial = { kind: 'refused', error: missing, info: null, bareError: idMap };
    const [bare, run] = engineChecks(trial);
    expect(bare).toMatchObject({
      id: 'bare-sandbox',
      required: true,
      found: 'No user map.',
      fix: 'Add a profile.',
    });
    expect(run).toMatchObject({ id: 'run', state: 'missing' });
  });

  test('but not when it is the same thing twice', () => {
    const trial: Trial = { kind: 'refused', error: idMap, info: null, bareError: idMap };
    expect(engineChecks(trial).map((check) => check.id)).toEqual(['run']);
  });
});
