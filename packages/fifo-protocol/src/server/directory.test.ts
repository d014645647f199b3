// A directory below a folder of somebody else, who can put another one in its place.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FifoManager } from './manager.js';

const END = { status: 'exit', exitCode: 0, exitSignal: null, usage: { cpuTimeMs: 1 } };
const program = () => ({
  usage: () => ({ cpuTimeMs: 1, memoryBytes: 1 }),
  kill: () => undefined,
  result: Promise.resolve(END),
});

it('is the same one whatever stands at its path, and nothing there is written to or removed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sbx-directory-test-'));
  const [dir, moved, victim] = ['pipes', 'moved', 'victim'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  try {
    writeFileSync(victim, 'as it was');
    const manager = await FifoManager.open(program, { dir, graceMs: 0 });
    renameSync(dir, moved);
    mkdirSync(dir);
    for (const name of ['status', 'wait']) symlinkSync(victim, join(dir, name));
    const reply = readFile(join(moved, 'status'), 'utf8');
    writeFileSync(join(moved, 'wait'), '0');
    expect(await reply).toMatch(/^1000\n0\nprocess terminated normally/);
    await manager.finished;
    expect(readFileSync(victim, 'utf8')).toBe('as it was');
    expect(readdirSync(dir)).toEqual(['status', 'wait']);
    expect(readdirSync(moved)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
