/**
 * `@sbx/adapters/tanstack`: a sandbox provider of TanStack AI. Nothing of the framework is loaded here: the
 * caller hands it in.
 *
 * @packageDocumentation
 */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import type { AdapterOptions } from './shared/open.js';
import { urlOf } from './shared/ports.js';
import { type Box, Registry } from './shared/registry.js';
import { cutLines } from './shared/shell.js';
import { textOf } from './shared/text-sink.js';
import { kill } from './shared/web-streams.js';
import { filesOf, inside } from './tanstack-files.js';
import type {
  TanstackCapabilities,
  TanstackCreateInput,
  TanstackFramework,
  TanstackHandle,
  TanstackProcess,
  TanstackProvider,
} from './tanstack-types.js';

export type { AdapterOptions } from './shared/open.js';
export type * from './tanstack-types.js';

const CAPABILITIES: Omit<TanstackCapabilities, 'ports'> = Object.freeze({
  fs: true,
  exec: true,
  env: true,
  backgroundProcesses: true,
  writableStdin: true,
  killableProcesses: true,
  snapshots: false,
  networkPolicy: false,
  durableFilesystem: false,
  fork: true,
});

interface More {
  /** Path of the work folder inside. */
  root: string;
  capabilities: TanstackCapabilities;
}

/**
 * Makes a provider for `defineSandbox({ provider })`; its sandboxes have the options given here. Without an
 * `engine` the work folder is `/workspace`, as the framework calls it. Close it at the end.
 *
 * @param framework `import * as framework from '@tanstack/ai-sandbox'`.
 *
 * @example
 * ```ts
 * await using provider = createTanstackProvider(framework, { limits: { memoryBytes: 512 * 2 ** 20 } });
 * const handle = await provider.create({});
 * ```
 */
export function createTanstackProvider<Git>(
  framework: TanstackFramework<Git>,
  options: AdapterOptions = {},
): TanstackProvider<Git> {
  const engineOptions = { workDir: '/workspace', ...options.engineOptions };
  const registry = new Registry<More>(options.engine === undefined ? { ...options, engineOptions } : options);
  const capabilities = Object.freeze({ ...CAPABILITIES, ports: options.network === 'loopback' });
  const close = () => registry.close();
  return {
    name: 'sbx',
    capabilities: () => capabilities,
    async create({ id = `sbx-${randomUUID()}`, env, signal, workspace, policy }) {
      refuseMissing(framework, workspace, policy);
      const more = { root: '', capabilities };
      const box = await registry.create(id, more, { env, signal });
      try {
        box.root = (await box.shell.run('pwd')).stdout.text().trimEnd();
        return handleOf(framework, registry, box);
      } catch (error) {
        await registry.destroy(id); // of a variable without a name it is the first that hears
        throw error;
      }
    },
    async resume({ id, signal }) {
      signal?.throwIfAborted();
      const box = registry.find(id);
      return box === null ? null : handleOf(framework, registry, box);
    },
    destroy: ({ id }) => registry.destroy(id),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What a definition asks its provider for. */
function refuseMissing<Git>(
  { UnsupportedCapabilityError }: TanstackFramework<Git>,
  workspace: TanstackCreateInput['workspace'],
  policy: TanstackCreateInput['policy'],
): void {
  if (workspace?.source.type === 'local') {
    const hint = 'Give createTanstackProvider `files`, or a tar archive as `workspace`.';
    throw new UnsupportedCapabilityError('sbx', 'workspace.source.local', hint);
  }
  if (policy?.capabilities?.network === 'allow') {
    const hint = 'A sandbox has no network: leave policy.capabilities.network out, or deny it.';
    throw new UnsupportedCapabilityError('sbx', 'networkPolicy', hint);
  }
}

function handleOf<Git>(
  framework: TanstackFramework<Git>,
  registry: Registry<More>,
  box: Box & More,
): TanstackHandle<Git> {
  const { id, root, capabilities, sandbox, shell } = box;
  const process = processOf(box);
  const unsupported = async (capability: string, hint: string): Promise<never> => {
    throw new framework.UnsupportedCapabilityError('sbx', capability, hint);
  };
  return {
    id,
    provider: 'sbx',
    workspaceRoot: root,
    capabilities,
    sandbox,
    fs: filesOf(sandbox),
    git: framework.createExecBackedGit(process, root),
    process,
    ports: {
      connect: async (port) =>
        capabilities.ports
          ? { url: await urlOf(sandbox, port) }
          : unsupported('ports', "Give createTanstackProvider `network: 'loopback'`."),
    },
    env: { set: async (variables) => shell.setVariables(variables) },
    snapshot: () => unsupported('snapshots', 'Call fork(), or keep the archive of sandbox.snapshot().'),
    async fork() {
      const workspace = await buffer(sandbox.snapshot());
      const copy = await registry.create(
        `sbx-${randomUUID()}`,
        { root, capabilities },
        { workspace, files: {} },
      );
      copy.shell.setVariables(shell.variables);
      return handleOf(framework, registry, copy);
    },
    destroy: () => registry.destroy(id),
  };
}

function processOf({ shell }: Box): TanstackProcess {
  let lastPid = 0;
  return {
    async exec(line, { cwd, env, signal } = {}) {
      const result = await shell.run(line, { cwd: inside(cwd), env }, { signal });
      const { stdout, stderr } = result;
      return {
        stdout: stdout.text(),
        stderr: stderr.text() + cutLines(result) + verdictLine(result),
        exitCode: exitCodeOf(result),
      };
    },
    async spawn(line, { cwd, env, signal } = {}) {
      const command = { cwd: inside(cwd), env };
      const process = await shell.spawn(line, command, {
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
        signal,
      });
      process.result.catch(() => undefined); // told by `wait()`
      return {
        pid: ++lastPid,
        stdout: textOf(process.stdout),
        stderr: textOf(process.stderr),
        stdin: process.stdin,
        wait: async () => exitCodeOf(await process.result),
        kill: (signal) => kill(process, signal),
      };
    },
  };
}
