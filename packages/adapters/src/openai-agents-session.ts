/** One session of the framework: one sandbox. */
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from '@sbx/core';
import { COMMAND_COUNT_MAX, Commands } from './openai-agents-commands.js';
import type { Concurrency } from './openai-agents-concurrency.js';
import { editorOf } from './openai-agents-editor.js';
import { type Entries, isRoot, type Placing, removeAllIn } from './openai-agents-entries.js';
import { type Errors, refuseRunAs, told, unsupported } from './openai-agents-faults.js';
import { checkSeen } from './openai-agents-grants.js';
import { IMAGE_BYTES_MAX, mediaTypeOf } from './openai-agents-images.js';
import { asText } from './openai-agents-output.js';
import type {
  OpenAIAgentsArchiveLimits,
  OpenAIAgentsEditor,
  OpenAIAgentsExecArgs,
  OpenAIAgentsExecResult,
  OpenAIAgentsFramework,
  OpenAIAgentsManifest,
  OpenAIAgentsSession,
  OpenAIAgentsState,
} from './openai-agents-types.js';
import { join, readBytes, unlessMissing } from './shared/files.js';
import type { AdapterOptions, SandboxMaker } from './shared/open.js';
import { exposedPort } from './shared/ports.js';
import { Shell } from './shared/shell.js';

const EXEC_YIELD_MS = 10_000;
const WRITE_YIELD_MS = 250;

/** What a session is made of. */
export interface SessionParts<Manifest extends OpenAIAgentsManifest> {
  framework: OpenAIAgentsFramework<Manifest>;
  options: AdapterOptions;
  maker: SandboxMaker;
  entries: Entries;
  concurrency: Concurrency;
  sandbox: Sandbox;
  state: OpenAIAgentsState<Manifest>;
  onClose: (session: OpenAIAgentsSession<Manifest>) => void;
}

export class Session<Manifest extends OpenAIAgentsManifest> implements OpenAIAgentsSession<Manifest> {
  readonly state: OpenAIAgentsState<Manifest>;
  sandbox: Sandbox;
  readonly #parts: SessionParts<Manifest>;
  readonly #commands = new Commands();
  #shell: Shell;
  #archiveLimits: OpenAIAgentsArchiveLimits | null = null;
  #isClosed = false;

  constructor(parts: SessionParts<Manifest>) {
    this.#parts = parts;
    this.state = parts.state;
    this.sandbox = parts.sandbox;
    this.#shell = new Shell(this.sandbox, parts.options);
  }

  async running(): Promise<boolean> {
    return !this.#isOver;
  }

  get #isOver(): boolean {
    return this.#isClosed || this.sandbox.isClosed;
  }

  supportsPty(): boolean {
    return true;
  }

  async resolveExposedPort(port: number): Promise<{ host: string; port: number; tls: boolean }> {
    const { host, port: ours } = await told(this.#parts.framework, exposedPort(this.sandbox, port));
    return { host, port: ours, tls: false };
  }

  async exec(args: OpenAIAgentsExecArgs): Promise<OpenAIAgentsExecResult> {
    const { framework } = this.#parts;
    refuseRunAs(framework, args.runAs);
    const { environment: env } = this.state;
    const started = await told(framework, this.#commands.start(this.#shell, env, args));
    if (started === null)
      throw new framework.UserError(
        `${COMMAND_COUNT_MAX} commands are kept, and no more can be. Look at those that have ended with write_stdin.`,
      );
    const { id, command } = started;
    const result = await command.look(args.yieldTimeMs ?? EXEC_YIELD_MS, args.maxOutputTokens);
    if (result.exitCode === undefined) return { ...result, sessionId: id };
    this.#commands.drop(id);
    return result;
  }

  async execCommand(args: OpenAIAgentsExecArgs): Promise<string> {
    return asText(await this.exec(args));
  }

  async writeStdin({
    sessionId,
    chars = '',
    yieldTimeMs = WRITE_YIELD_MS,
    maxOutputTokens,
  }: Parameters<OpenAIAgentsSession<Manifest>['writeStdin']>[0]): Promise<string> {
    const failed = (why: string) =>
      asText({ output: `write_stdin failed: ${why}`, wallTimeSeconds: 0, exitCode: 1 });
    const command = this.#commands.find(sessionId);
    if (command === undefined) return failed(`session not found: ${sessionId}`);
    const fault = command.write(chars);
    if (fault !== null) return failed(fault);
    const result = await command.look(yieldTimeMs, maxOutputTokens);
    if (result.exitCode === undefined) return asText({ ...result, sessionId });
    this.#commands.drop(sessionId);
    return asText(result);
  }

  createEditor(runAs?: string): OpenAIAgentsEditor {
    refuseRunAs(this.#parts.framework, runAs);
    return editorOf(this.#parts.framework, () => this.sandbox);
  }

  async readFile({ path, runAs, maxBytes }: { path: string; runAs?: string; maxBytes?: number }) {
    const bytes = await this.#file(runAs, () => readBytes(this.sandbox, path));
    return maxBytes === undefined ? bytes : bytes.subarray(0, Math.max(0, maxBytes));
  }

  async listDir({ path, runAs }: { path: string; runAs?: string }) {
    const folder = path.trim() === '' ? '.' : path;
    const entries = await this.#file(runAs, () => this.sandbox.readdir(folder, { withFileTypes: true }));
    return entries.map(({ name, kind }) => ({
      name,
      path: join(folder, name),
      type: kind === 'dir' || kind === 'file' ? kind : ('other' as const),
    }));
  }

  async pathExists(path: string, runAs?: string): Promise<boolean> {
    return (await this.#file(runAs, () => unlessMissing(this.sandbox.stat(path)))) !== null;
  }

  async directoryExists(path: string, runAs?: string): Promise<boolean> {
    return (await this.#file(runAs, () => unlessMissing(this.sandbox.stat(path))))?.kind === 'dir';
  }

  async viewImage({ path, runAs }: { path: string; runAs?: string }) {
    const { UserError } = this.#parts.framework;
    const { kind, sizeBytes } = await this.#file(runAs, () => this.sandbox.stat(path));
    if (kind !== 'file') throw new UserError(`Image path is not a file: ${path}`);
    if (sizeBytes > IMAGE_BYTES_MAX) throw new UserError(`Image file exceeds the 10 MB limit: ${path}`);
    const data = Uint8Array.from(await this.readFile({ path }));
    const mediaType = mediaTypeOf(data, path);
    if (mediaType === null) throw new UserError(`Unsupported image format for view_image: ${path}`);
    return { type: 'image' as const, image: { data, mediaType } };
  }

  async materializeEntry({ path, entry, runAs }: { path: string; entry: { type: string }; runAs?: string }) {
    const { entries, framework } = this.#parts;
    const { manifest } = this.state;
    const next = framework.cloneManifest({
      ...manifest,
      entries: { ...manifest.entries, [path]: entry },
    } as never);
    const placing = this.#placing(manifest.extraPathGrants);
    await this.#file(runAs, () => entries.place(placing, [path, entry]));
    this.state.manifest = next;
  }

  async applyManifest(manifest: Manifest, runAs?: string): Promise<void> {
    const { entries, framework } = this.#parts;
    const { manifest: own, environment } = this.state;
    entries.check(manifest, own.extraPathGrants);
    if (manifest.root !== own.root && manifest.root !== new framework.Manifest().root)
      unsupported(framework, `manifest.root "${manifest.root}"`, `the work folder is ${own.root}.`);
    const next = framework.cloneManifest({
      ...own,
      entries: { ...own.entries, ...manifest.entries },
      environment: { ...own.environment, ...manifest.environment },
      extraPathGrants: [...own.extraPathGrants, ...manifest.extraPathGrants],
    } as never);
    await this.place(manifest, next.extraPathGrants, runAs);
    this.state.environment = { ...environment, ...(await manifest.resolveEnvironment()) };
    this.state.manifest = next;
  }

  /** Of a manifest that is checked, all but its variables. */
  async place(manifest: Manifest, grants = manifest.extraPathGrants, runAs?: string): Promise<void> {
    const { entries, framework } = this.#parts;
    await this.#file(runAs, async () => {
      await checkSeen(framework, this.sandbox, manifest);
      await entries.placeAll(this.#placing(grants), manifest.entries);
    });
  }

  async persistWorkspace(): Promise<Uint8Array> {
    const all = await this.#file(undefined, () => buffer(this.sandbox.snapshot()));
    const passing = [...this.state.manifest.ephemeralPersistencePaths()];
    if (passing.length === 0) return all;
    // What is not to be kept is taken out of a copy.
    await using copy = await this.#make(all);
    for (const path of passing) {
      if (isRoot(path)) await removeAllIn(copy);
      else await copy.rm(path, { recursive: true, force: true });
    }
    return await this.#file(undefined, () => buffer(copy.snapshot()));
  }

  async hydrateWorkspace(
    data: string | ArrayBuffer | Uint8Array,
    { archiveLimits = this.#archiveLimits }: { archiveLimits?: OpenAIAgentsArchiveLimits | null } = {},
  ): Promise<void> {
    const { framework } = this.#parts;
    checkArchiveLimits(framework, archiveLimits);
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data);
    const { maxInputBytes, maxExtractedBytes, maxMembers } = archiveLimits ?? {};
    if (bytes.length > (maxInputBytes ?? Number.POSITIVE_INFINITY))
      throw new framework.SandboxArchiveError(`The archive has more than ${maxInputBytes} bytes.`, {
        reason: 'archive input size exceeds limit',
        limit: maxInputBytes,
        actual: bytes.length,
      });
    if (this.#isOver) throw new framework.SandboxLifecycleError('The session is closed.');
    const next = await this.#make(bytes).catch((error: Error) => {
      throw Object.assign(new framework.SandboxArchiveError(error.message), { cause: error });
    });
    try {
      // What came of it is counted by the engine.
      const bounds = { maxBytes: maxExtractedBytes ?? undefined, maxFileCount: maxMembers ?? undefined };
      if (maxExtractedBytes != null || maxMembers != null) for await (const _ of next.snapshot(bounds));
    } catch (error) {
      await next.close();
      throw new framework.SandboxArchiveError((error as Error).message);
    }
    const former = this.sandbox;
    this.sandbox = next;
    this.#shell = new Shell(next, this.#parts.options);
    await this.#commands.stop();
    await former.close();
    if (this.#isClosed) await next.close();
  }

  setArchiveLimits(limits: OpenAIAgentsArchiveLimits | null = null): void {
    checkArchiveLimits(this.#parts.framework, limits);
    this.#archiveLimits = limits;
  }

  async stop(): Promise<void> {
    await this.#commands.stop();
  }

  shutdown(): Promise<void> {
    return this.close();
  }

  delete(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    if (!this.#isClosed) this.#parts.onClose(this);
    this.#isClosed = true;
    this.state.workspaceReady = false;
    await this.sandbox.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #placing(grants: Manifest['extraPathGrants']): Placing {
    return { sandbox: this.sandbox, grants, concurrency: this.#parts.concurrency };
  }

  /** Another sandbox with this work folder. */
  #make(workspace: Uint8Array): Promise<Sandbox> {
    return this.#parts.maker.make({ workspace, files: {} });
  }

  /** Work on files, in the framework's errors. */
  async #file<T>(runAs: string | undefined, work: () => Promise<T>): Promise<T> {
    refuseRunAs(this.#parts.framework, runAs);
    return told(this.#parts.framework, work());
  }
}

function checkArchiveLimits(errors: Errors, limits: OpenAIAgentsArchiveLimits | null): void {
  for (const [name, value] of Object.entries(limits ?? {}))
    if (value != null && !(Number.isSafeInteger(value) && value >= 1))
      throw new errors.UserError(`archiveLimits.${name} must be a whole number from 1 on.`);
}
