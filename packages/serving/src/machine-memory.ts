import { totalmem } from 'node:os';

/** Memory of this machine, or of the container around this process, whichever is less. */
export function machineMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY); // 0: not known
}
