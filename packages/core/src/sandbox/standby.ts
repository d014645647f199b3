/** The public face of programs that wait for their requests. */
import type { EngineCore } from '../engine/core.js';
import { InvalidOptionsError } from '../errors.js';
import { validateOneShotSpawn } from '../options/program.js';
import { StandbyPool } from '../program/standby/pool.js';
import type {
  StandbyCounters,
  StandbyFamily,
  StandbyOptions,
  StandbyRequest,
} from '../program/standby/types.js';
import type { OneShotOptions } from '../types.js';
import { Process } from './process.js';

const COUNT_MAX = 1024;

/**
 * From `engine.standby()`. Keeps programs started ahead of their requests: each in a fresh sandbox, hanging at the opening of
 * its entry file (the script), so that a request costs what is left of the start. Each serves one request and is replaced
 * off the request's path. A program cannot tell that it waited, but for clocks; limits and meters begin at the hand-over.
 *
 * Programs are kept in families, by a name of the caller's, with so many places each. What waits there is made for what is
 * asked for: a request is served by a waiting program when all that a program can see before it opens its script is
 * equal (program, arguments, environment, folder, resource limits, shape of the sandbox), and else by an ordinary start, with
 * the same outcome. Waiting programs count towards `maxSandboxes` and do not keep the process.
 */
export class Standby implements AsyncDisposable {
  readonly #pool: StandbyPool;

  /** @internal */
  static make(core: EngineCore, options: StandbyOptions | undefined): Standby {
    return new Standby(core, options);
  }

  private constructor(core: EngineCore, options: StandbyOptions | undefined) {
    this.#pool = new StandbyPool(core, options);
  }

  /** So many programs of a family wait from now on, at first this one, later what is asked for. */
  keep(name: string, family: StandbyFamily): void {
    const { count, program, prelude } = family;
    if (!Number.isInteger(count) || count < 0 || count > COUNT_MAX) {
      const expected = `must be an integer from 0 to ${COUNT_MAX}`;
      throw new InvalidOptionsError({ field: 'family.count', rule: 'range', expected, got: String(count) });
    }
    checkEntry(program.entry, prelude);
    const cold = coldOptions({ ...program, code: '' });
    validateOneShotSpawn(program.file, program.args, { ...cold, files: { ...prelude, ...cold.files } });
    this.#pool.keep(name, family);
  }

  /** A program for this request, from those that wait or freshly started; three pipes, as `Engine.spawn` with them. */
  async spawn(name: string, request: StandbyRequest): Promise<Process> {
    const cold = coldOptions(request);
    validateOneShotSpawn(request.file, request.args, cold);
    const { running, result } = await this.#pool.spawn(name, request, cold);
    return Process.make(running, result);
  }

  /** Resolves when nothing more is about to be started: every place is taken, or cannot be. */
  ready(): Promise<void> {
    return this.#pool.ready();
  }

  /** Numbers by family. */
  counters(): Record<string, StandbyCounters> {
    return this.#pool.counters();
  }

  /** Ends what waits; programs that were handed over go on. Safe to call twice. */
  async close(): Promise<void> {
    this.#pool.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function checkEntry(entry: string, prelude: StandbyFamily['prelude'] = {}): void {
  const wrong = (rule: 'format' | 'conflict', expected: string) =>
    new InvalidOptionsError({ field: 'family.program.entry', rule, expected, got: JSON.stringify(entry) });
  if (typeof entry !== 'string' || entry.includes('/'))
    throw wrong('format', 'must be the name of a file in the work folder');
  if (Object.hasOwn(prelude, entry)) throw wrong('conflict', 'must not be a file of the prelude');
}

/** The same for an ordinary start. */
function coldOptions({ file: _file, args: _args, entry, code, ...rest }: StandbyRequest): OneShotOptions {
  return { ...rest, files: { [entry]: code }, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' };
}
