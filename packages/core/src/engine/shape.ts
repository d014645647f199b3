/** What is decided about a sandbox when it is made, from the options of a run and of its engine. */
import type { PrepareMessage } from '../native.js';
import type { ResolvedLimits } from '../options/limits.js';

/** Equal keys are interchangeable. */
export interface Shape extends PrepareMessage {
  key: string;
  /** What its slot makes afterwards, when it is to serve one request alone. */
  lasting?: Shape;
}

let asked = 0;

/** Of a sandbox that is made on demand: none that stands ready already has its key. */
export function onDemand(lasting: Shape): Shape {
  asked += 1;
  return { ...lasting, key: `${lasting.key}:${asked}`, lasting };
}

export function diskOf(limits: ResolvedLimits): { diskBytes: number; diskFileCount: number } {
  // 0 is no limit for tmpfs; the top folder takes one place of its own.
  const diskFileCount = limits.diskFileCount === null ? 0 : limits.diskFileCount + 1;
  return { diskBytes: limits.diskBytes ?? 0, diskFileCount };
}

export function makeShape(parts: Omit<Shape, 'key'>): Shape {
  const { loopback, strict, seccompKill, terminal, diskBytes, diskFileCount } = parts;
  const flags =
    Number(loopback) | (Number(strict) << 1) | (Number(seccompKill) << 2) | (Number(terminal) << 3);
  return { key: `${flags}:${diskBytes}:${diskFileCount}`, ...parts };
}
