/** From the public object to what is inside, without a public property. */
import { ClosedError } from '../errors.js';
import { type EngineCore, openDefaultCore } from './core.js';

const cores = new WeakMap<object, EngineCore>();

export function registerCore(engine: object, core: EngineCore): void {
  cores.set(engine, core);
}

/** The core of this engine, or of the default one. A promise only when that must be opened. */
export function coreOf(engine: object | undefined): EngineCore | Promise<EngineCore> {
  if (engine === undefined) return openDefaultCore();
  const core = cores.get(engine);
  // Of another copy of this package, or not an engine.
  if (core === undefined) throw new ClosedError('The engine');
  return core;
}
