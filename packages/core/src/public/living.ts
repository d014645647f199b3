/** A program that is handed out alive, with a sandbox of its own. */
import type { EngineCore } from '../engine/core.js';
import { spawnOneShot } from '../run/one-shot.js';
import type { FreshRunOptions } from '../types/internal.js';
import { Process } from './process.js';

/** The request must have been checked. Returns when the program executes. */
export async function spawnAlone(
  core: EngineCore,
  file: string,
  args: readonly string[] | undefined,
  options: FreshRunOptions | undefined,
): Promise<Process> {
  const { running, result } = await spawnOneShot(core, file, args, options);
  return Process.make(running, result);
}
