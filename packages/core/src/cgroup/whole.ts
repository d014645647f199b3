/** Counters of the engine's own folder: all sandboxes together, since the opening, helpers included. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CounterName } from '../native/tables.js';
import type { EngineUsage } from '../types/engine.js';
import { cpuNsOf, numberOf } from './counters.js';
import type { CgroupTree } from './tree.js';

const NS_PER_MS = 1e6;
const NOTHING: EngineUsage = { cpuTimeMs: null, memoryBytes: null, memoryPeakBytes: null };

/** `null` in the place of each figure that this machine does not keep. */
export function readWhole(tree: CgroupTree | null): EngineUsage {
  if (tree === null) return { ...NOTHING };
  const cpuNs = cpuNsOf(read(tree, 'cpu'));
  return {
    cpuTimeMs: cpuNs === null ? null : cpuNs / NS_PER_MS,
    memoryBytes: numberOf(read(tree, 'memoryNow')),
    memoryPeakBytes: numberOf(read(tree, 'memoryPeak')),
  };
}

function read(tree: CgroupTree, name: CounterName): string | null {
  const counter = tree.layout.counters[name];
  if (counter === undefined) return null;
  try {
    return readFileSync(join(tree.folderOf(counter.controller), counter.file), 'utf8');
  } catch {
    return null; // a kernel without this file
  }
}
