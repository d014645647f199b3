import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFifo } from './mkfifo.js';

it('those that are asked for together are made, each with its mode, beside one that cannot be', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sbx-mkfifo-test-'));
  try {
    const made = await Promise.allSettled([
      makeFifo(join(dir, 'first'), 0o600),
      makeFifo(join(dir, 'no', 'parent'), 0o600),
      makeFifo(join(dir, 'last'), 0o600),
      makeFifo(join(dir, 'of-group'), 0o660),
    ]);
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(made[1]).toMatchObject({ reason: { message: expect.stringContaining('no/parent') } });
    const modes = ['first', 'last', 'of-group'].map((name) => statSync(join(dir, name)));
    expect(modes.map((stats) => [stats.isFIFO(), stats.mode & 0o777])).toEqual([
      [true, 0o600],
      [true, 0o600],
      [true, 0o660],
    ]);
    await expect(makeFifo(join(dir, 'no', 'parent'), 0o600)).rejects.toThrow('no/parent');
    expect(existsSync(join(dir, 'no'))).toBe(false);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
