import { describe, expect, it } from 'vitest';
import { openFilesOfPrograms } from './open-files.js';

describe('how many files a program may have open', () => {
  it('is what the host may have, where each sandbox is another user', () => {
    expect(openFilesOfPrograms(20_000, false, 2)).toBe(20_000);
  });

  it('leaves room for messages with descriptors as an ordinary user, one for each CPU and two more', () => {
    expect(openFilesOfPrograms(20_000, true, 2)).toBe(20_000 - 4 * 253);
  });

  it('leaves half of a small limit', () => {
    expect(openFilesOfPrograms(1024, true, 64)).toBe(512);
  });

  it('is never less than what a program has without being asked', () => {
    expect(openFilesOfPrograms(400, true, 2)).toBe(256);
    expect(openFilesOfPrograms(200, true, 2)).toBe(200);
  });
});
