/**
 * `@sbx/adapters/computesdk`: a provider of ComputeSDK whose sandboxes are local. Nothing of the framework is
 * loaded here: the caller hands its `defineProvider` in.
 *
 * @packageDocumentation
 */
import { randomUUID } from 'node:crypto';
import { InvalidOptionsError, type RunResult, type Sandbox } from '@sbx/core';
import type {
  CommandResult,
  ComputeProviderConfig,
  ComputeRunOptions,
  ComputeSandbox,
  CreateOptions,
} from './computesdk-types.js';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import { join, READ_BYTES_MAX, unlessMissing } from './shared/files.js';
import type { AdapterOptions } from './shared/open.js';
import { urlOf } from './shared/ports.js';
import { type Box, Registry } from './shared/registry.js';
import { cutLines } from './shared/shell.js';
import { textSink } from './shared/text-sink.js';

export type * from './computesdk-types.js';
export type { AdapterOptions } from './shared/open.js';

/** What is added to the provider of the framework. */
export interface Closable extends AsyncDisposable {
  /** Destroys all sandboxes of the provider. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * What is done, and what changes nothing: `provider` is by whom, which the framework has seen to; `runtime`
 * picks an image of a cloud, where all sandboxes here have every interpreter of the host.
 */
const KNOWN: ReadonlySet<string> = new Set(['timeout', 'envs', 'metadata', 'signal', 'provider', 'runtime']);

/** The longest delay of a timer. */
const MS_MAX = 2 ** 31 - 1;

interface More {
  readonly timeoutMs: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Makes a provider; its sandboxes have the options given here. Close it at the end.
 *
 * @param defineProvider `defineProvider` of `@computesdk/provider`.
 *
 * @example
 * ```ts
 * await using provider = createComputeProvider(defineProvider, { limits: { memoryBytes: 512 * 2 ** 20 } });
 * const sandbox = await provider.sandbox.create();
 * ```
 */
export function createComputeProvider<Provider extends object>(
  defineProvider: (config: ComputeProviderConfig) => (config: undefined) => Provider,
  options: AdapterOptions = {},
): Provider & Closable {
  const registry = new Registry<More>(options);
  const makeProvider = defineProvider({
    name: 'sbx',
    methods: {
      sandbox: {
        create: async (_, asked = {}) => handleOf(await create(registry, asked, options.lifetimeMs ?? 0)),
        getById: async (_, id) => {
          const box = registry.find(id);
          return box === null ? null : handleOf(box);
        },
        list: async () => registry.list().map(handleOf),
        destroy: (_, id) => registry.destroy(id),
        runCommand,
        streamCommand: runCommand,
        getInfo: async ({ id, sandbox, createdAt, timeoutMs, metadata }) => ({
          id,
          provider: 'sbx',
          status: sandbox.isClosed ? 'stopped' : 'running',
          createdAt,
          timeout: timeoutMs,
          metadata: { ...metadata },
        }),
        getUrl: ({ sandbox }, { port }) => urlOf(sandbox, port),
        filesystem: FILES,
      },
    },
  });
  const close = () => registry.close();
  return Object.assign(makeProvider(undefined), { close, [Symbol.asyncDispose]: close });
}

function handleOf(box: Box & More): { sandbox: ComputeSandbox; sandboxId: string } {
  return { sandbox: box, sandboxId: box.id };
}

async function create(
  registry: Registry<More>,
  asked: CreateOptions,
  defaultMs: number,
): Promise<Box & More> {
  refuseOthers(asked);
  const { timeout: timeoutMs = defaultMs, envs, metadata = {}, signal } = asked;
  if (!(Number.isSafeInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs <= MS_MAX)) {
    const expected = `must be a whole number of ms, 0 (no end) to ${MS_MAX}`;
    throw new InvalidOptionsError({ field: 'options.timeout', rule: 'range', expected, got: `${timeoutMs}` });
  }
  const lifetimeMs = timeoutMs === 0 ? null : timeoutMs;
  return registry.create(`sbx-${randomUUID()}`, { timeoutMs, metadata }, { env: envs, signal, lifetimeMs });
}

/** Clouds' images, sizes, names, ports: a sandbox would be another one than was asked for. */
function refuseOthers(asked: CreateOptions): void {
  for (const [name, value] of Object.entries(asked)) {
    if (KNOWN.has(name) || value === undefined) continue;
    throw new InvalidOptionsError({
      field: `options.${name}`,
      rule: 'not-here',
      expected: 'must be absent: sbx has no images, stored snapshots, machine sizes, names and ports',
      hint: 'Give createComputeProvider what holds for its sandboxes: `limits` for their size, `engineOptions.mounts` for what is in them.',
    });
  }
}

async function runCommand(
  box: ComputeSandbox,
  line: string,
  options: ComputeRunOptions = {},
): Promise<CommandResult> {
  const { cwd, env, timeout: timeoutMs, background = false, onStdout, onStderr } = options;
  const { shell } = box as Box & More;
  const command = { cwd, env, timeoutMs };
  if (background) {
    const startedAt = performance.now();
    await shell.spawn(line, command, { stdout: 'null', stderr: 'null' });
    return { stdout: '', stderr: '', exitCode: 0, durationMs: performance.now() - startedAt };
  }
  const stdout = onStdout && textSink(onStdout);
  const stderr = onStderr && textSink(onStderr);
  const result = await shell.run(line, command, { onStdout: stdout?.take, onStderr: stderr?.take });
  stdout?.end();
  stderr?.end();
  return commandResult(result);
}

function commandResult(result: RunResult): CommandResult {
  const { stdout, stderr, usage } = result;
  return {
    stdout: stdout.text(),
    stderr: stderr.text() + cutLines(result) + verdictLine(result),
    exitCode: exitCodeOf(result),
    durationMs: usage.wallTimeMs,
  };
}

const FILES = {
  readFile: ({ sandbox }: ComputeSandbox, path: string) =>
    sandbox.readTextFile(path, { maxBytes: READ_BYTES_MAX }),
  writeFile: ({ sandbox }: ComputeSandbox, path: string, content: string) => sandbox.writeFile(path, content),
  mkdir: ({ sandbox }: ComputeSandbox, path: string) => sandbox.mkdir(path, { recursive: true }),
  remove: ({ sandbox }: ComputeSandbox, path: string) => sandbox.rm(path, { recursive: true, force: true }),
  exists: async ({ sandbox }: ComputeSandbox, path: string) =>
    (await unlessMissing(sandbox.lstat(path))) !== null,
  readdir: ({ sandbox }: ComputeSandbox, path: string) => entriesOf(sandbox, path),
};

async function entriesOf(sandbox: Sandbox, path: string) {
  const entries = await sandbox.readdir(path, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async ({ name, kind }) => {
      const stat = await unlessMissing(sandbox.lstat(join(path, name)));
      const type = kind === 'dir' ? ('directory' as const) : ('file' as const);
      return stat === null ? [] : [{ name, type, size: stat.sizeBytes, modified: new Date(stat.modifiedMs) }];
    }),
  );
  return found.flat();
}
