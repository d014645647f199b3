/** The sandboxes of one provider, by id. */
import { InvalidOptionsError, type Sandbox, type SandboxOptions } from '@sbx/core';
import { type AdapterOptions, SandboxMaker } from './open.js';
import { Shell } from './shell.js';

/** A sandbox and how commands are run in it. */
export interface Box {
  readonly id: string;
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  readonly createdAt: Date;
}

export class Registry<More extends object> {
  readonly #maker: SandboxMaker;
  readonly #options: AdapterOptions;
  readonly #open = new Map<string, Box & More>();
  /** Ids of those that are being made. */
  readonly #making = new Set<string>();
  #isClosed = false;

  constructor(options: AdapterOptions) {
    this.#maker = new SandboxMaker(options);
    this.#options = options;
  }

  /** `env` is added to that of the options. */
  async create(
    id: string,
    more: More,
    { env, ...options }: SandboxOptions & { env?: Record<string, string> | undefined } = {},
  ): Promise<Box & More> {
    if (this.find(id) !== null || this.#making.has(id)) {
      const expected = 'must not be the id of a sandbox that is there';
      throw new InvalidOptionsError({ field: 'options.id', rule: 'conflict', expected, got: id });
    }
    this.#making.add(id);
    const sandbox = await this.#maker.make(options).finally(() => this.#making.delete(id));
    const shell = new Shell(sandbox, this.#options);
    if (env !== undefined) shell.setVariables(env);
    const box = { ...more, id, sandbox, shell, createdAt: new Date() };
    this.#open.set(id, box);
    if (this.#isClosed) await this.destroy(id);
    return box;
  }

  find(id: string): (Box & More) | null {
    this.#forgetClosed();
    return this.#open.get(id) ?? null;
  }

  list(): (Box & More)[] {
    this.#forgetClosed();
    return [...this.#open.values()];
  }

  /** Those whose lifetime is over. */
  #forgetClosed(): void {
    for (const { id, sandbox } of this.#open.values()) if (sandbox.isClosed) this.#open.delete(id);
  }

  /** One that is not there any more is as it should be. */
  async destroy(id: string): Promise<void> {
    const box = this.#open.get(id);
    if (box === undefined) return;
    this.#open.delete(id);
    await box.sandbox.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.keys()].map((id) => this.destroy(id)));
    await this.#maker.close();
  }
}
