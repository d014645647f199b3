/**
 * `@sbx/adapters/openai-agents`: a sandbox client of OpenAI's Agents SDK, in place of its
 * `UnixLocalSandboxClient`, and isolated. Nothing of the framework is loaded here: the caller hands it in.
 *
 * @packageDocumentation
 */
import type { Sandbox } from '@sbx/core';
import { createRequest } from './openai-agents-create.js';
import { Entries } from './openai-agents-entries.js';
import { unsupported } from './openai-agents-faults.js';
import { Session } from './openai-agents-session.js';
import type {
  OpenAIAgentsClient,
  OpenAIAgentsCreateArgs,
  OpenAIAgentsFramework,
  OpenAIAgentsManifest,
  OpenAIAgentsSession,
} from './openai-agents-types.js';
import { type AdapterOptions, SandboxMaker } from './shared/open.js';

export type * from './openai-agents-types.js';
export type { AdapterOptions } from './shared/open.js';

/** The framework's own work folder. */
const WORKSPACE = '/workspace';

/**
 * Makes a client for `run(agent, input, { sandbox: { client } })`; its sandboxes have the options given here.
 * Without an `engine` the work folder is `/workspace`, as the framework calls it. Close it at the end.
 *
 * @param framework `{ ...agents, ...sandbox }` of `import * as agents from '@openai/agents-core'` and
 *   `import * as sandbox from '@openai/agents-core/sandbox'`.
 *
 * @example
 * ```ts
 * const limits = { memoryBytes: 512 * 2 ** 20 };
 * await using client = createOpenAIAgentsClient({ ...agents, ...sandbox }, { limits });
 * await agents.run(new sandbox.SandboxAgent({ name: 'coder', model }), 'Go.', { sandbox: { client } });
 * ```
 */
export function createOpenAIAgentsClient<Manifest extends OpenAIAgentsManifest>(
  framework: OpenAIAgentsFramework<Manifest>,
  options: AdapterOptions = {},
): OpenAIAgentsClient<Manifest> {
  return new Client(framework, options);
}

class Client<Manifest extends OpenAIAgentsManifest> implements OpenAIAgentsClient<Manifest> {
  readonly backendId = 'sbx';
  readonly serializedSessionStateRequiresFreshCreation = true;
  readonly #framework: OpenAIAgentsFramework<Manifest>;
  readonly #options: AdapterOptions;
  readonly #maker: SandboxMaker;
  readonly #entries: Entries;
  readonly #open = new Set<OpenAIAgentsSession<Manifest>>();
  #isClosed = false;

  constructor(framework: OpenAIAgentsFramework<Manifest>, options: AdapterOptions) {
    const engineOptions = { workDir: WORKSPACE, ...options.engineOptions };
    this.#framework = framework;
    this.#options = options;
    this.#maker = new SandboxMaker(options.engine === undefined ? { ...options, engineOptions } : options);
    this.#entries = new Entries(framework);
  }

  async create(
    args: OpenAIAgentsCreateArgs | Manifest = {},
    options?: Record<string, unknown>,
  ): Promise<OpenAIAgentsSession<Manifest>> {
    const framework = this.#framework;
    const asked = createRequest(framework, args, options);
    this.#entries.check(asked.manifest);
    const sandbox = await this.#maker.make();
    try {
      const manifest = await this.#atRoot(sandbox, asked.manifest);
      const session = new Session({
        framework,
        options: this.#options,
        maker: this.#maker,
        entries: this.#entries,
        concurrency: asked.concurrency,
        sandbox,
        state: { manifest, environment: await manifest.resolveEnvironment(), workspaceReady: true },
        onClose: (closed) => this.#open.delete(closed),
      });
      session.setArchiveLimits(asked.archiveLimits);
      await session.place(manifest);
      if (this.#isClosed) throw new framework.SandboxLifecycleError('The client is closed.');
      this.#open.add(session);
      return session;
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  async serializeSessionState(): Promise<Record<string, unknown>> {
    return {};
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((session) => session.close()));
    await this.#maker.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Models are told the root of the manifest: it is the work folder, whatever an engine of the caller calls
   * it.
   */
  async #atRoot(sandbox: Sandbox, manifest: Manifest): Promise<Manifest> {
    const root = (await sandbox.run('/bin/pwd')).stdout.text().trimEnd();
    if (manifest.root === root) return manifest;
    if (manifest.root !== WORKSPACE)
      unsupported(this.#framework, `manifest.root "${manifest.root}"`, `the work folder is ${root}.`);
    return this.#framework.cloneManifest({ ...manifest, root } as never);
  }
}
