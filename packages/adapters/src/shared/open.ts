/** What all factories take, and the sandbox that they make of it. */
import { Engine, type EngineOptions, InvalidOptionsError, Sandbox, type SandboxOptions } from '@sbx/core';

/** Options of every factory: those of a sandbox, and where it is made. */
export interface AdapterOptions extends SandboxOptions {
  /**
   * Settings of an engine that is opened for this and closed with it. Excludes `engine`. Default: the
   * process-wide default engine.
   */
  engineOptions?: EngineOptions | undefined;
}

/** Makes sandboxes on the engine of the options. */
export class SandboxMaker {
  readonly #options: SandboxOptions;
  readonly #engineOptions: EngineOptions | undefined;
  #own: Promise<Engine> | null = null;

  constructor({ engineOptions, ...options }: AdapterOptions) {
    if (engineOptions !== undefined && options.engine !== undefined) {
      const expected = 'must not be given beside options.engine';
      throw new InvalidOptionsError({ field: 'options.engineOptions', rule: 'conflict', expected });
    }
    this.#options = options;
    this.#engineOptions = engineOptions;
  }

  /** `more` wins over the options of the factory. */
  async make(more: SandboxOptions = {}): Promise<Sandbox> {
    const engine = await this.#engine();
    return Sandbox.create({ ...this.#options, ...(engine === undefined ? {} : { engine }), ...more });
  }

  /** Closes the engine that was opened here. */
  async close(): Promise<void> {
    // One that could not be opened has been told to whoever wanted a sandbox.
    await this.#own?.then((engine) => engine.close()).catch(() => undefined);
  }

  #engine(): Promise<Engine | undefined> {
    if (this.#engineOptions === undefined) return Promise.resolve(undefined);
    this.#own ??= Engine.open(this.#engineOptions).catch((error: unknown) => {
      this.#own = null; // what is missing may be there at the next try
      throw error;
    });
    return this.#own;
  }
}

/** A sandbox, and the end of it with all that was opened for it. */
export interface OpenedSandbox {
  sandbox: Sandbox;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/** One sandbox on the engine of the options. */
export async function openSandbox(options: AdapterOptions): Promise<OpenedSandbox> {
  const maker = new SandboxMaker(options);
  try {
    const sandbox = await maker.make();
    const close = async () => {
      await sandbox.close();
      await maker.close();
    };
    return { sandbox, close };
  } catch (error) {
    await maker.close();
    throw error;
  }
}
