import { describe, expect, it } from 'vitest';
import type { LaunchSpec } from './launch-spec.js';
import { nextLaunchSpec, weakest } from './shares.js';

/** `'AAB'`: recipes by a letter. */
const recipes = (keys: string): LaunchSpec[] => [...keys].map((key) => ({ key }) as LaunchSpec);
const holding = (keys: string) => recipes(keys).map((launchSpec) => ({ launchSpec }));

describe('the next place is for', () => {
  it.each([
    ['A', '', 'A', 'the only one'],
    ['AAAB', '', 'A', 'the one asked for most'],
    ['AAAB', 'A', 'A', 'twice as many requests are worth another place'],
    ['AAB', 'A', 'B', 'with as many requests for each place, the latest'],
    ['AABB', 'A', 'B', 'the one with fewer places'],
    ['AABB', 'AB', 'B', 'the latest of equals'],
    ['B', 'AAA', 'B', 'what is asked for, not what is there'],
  ])('asked %s, there %s: %s (%s)', (recent, there, next) => {
    expect(nextLaunchSpec(recipes(recent), holding(there)).key).toBe(next);
  });
});

describe('a place is given up', () => {
  it.each<[recent: string, there: string, gone: string | null, why: string]>([
    ['AAAAAAAB', 'AA', null, 'not for one odd request'],
    ['ABABABAB', 'A', null, 'not for an equal'],
    ['AAAABBBB', 'AA', 'A', 'to share'],
    ['AAABBBBB', 'AB', null, 'not below one where that is fair'],
    ['BBBBBBBB', 'AA', 'A', 'when nobody asks for it'],
    ['BBBBBBBB', 'AB', 'A', 'the one that nobody asks for'],
    ['AAAAAAAA', 'AAA', null, 'never for itself'],
  ])('asked %s, there %s: %s (%s)', (recent, there, gone, _why) => {
    expect(weakest(recipes(recent), holding(there))?.launchSpec.key ?? null).toBe(gone);
  });
});
