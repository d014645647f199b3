/**
 * The call of each adapter that runs a command to its end, over the least that a framework puts around it:
 * what is measured is the adapter. Each row is { name, shell, open(engine) }; `open` gives { sandbox,
 * run(line), close() }, where `sandbox` is the one of `@sbx/core` below the call and `run` resolves to the
 * exit code and stdout.
 */
import { createSandboxSession } from '@sbx/adapters/ai-sdk';
import { createBashToolSandbox } from '@sbx/adapters/bash-tool';
import { createComputeProvider } from '@sbx/adapters/computesdk';
import { createDeepAgentsSandbox } from '@sbx/adapters/deepagents';
import { createMastraSandbox } from '@sbx/adapters/mastra';
import { createOpenAIAgentsClient } from '@sbx/adapters/openai-agents';
import { createTanstackProvider } from '@sbx/adapters/tanstack';

const SH = '/bin/sh';
const BASH = '/bin/bash';

async function openAiSdk(engine) {
  const session = await createSandboxSession({ engine });
  const { sandbox } = session;
  return { sandbox, run: (command) => session.run({ command }), close: () => session.close() };
}

async function openBashTool(engine) {
  const tool = await createBashToolSandbox({ engine });
  const { sandbox } = tool;
  return { sandbox, run: (line) => tool.executeCommand(line), close: () => tool.close() };
}

async function openComputeSdk(engine) {
  const defineProvider = (config) => () => ({ ...config.methods.sandbox });
  const provider = createComputeProvider(defineProvider, { engine });
  const { sandbox: handle } = await provider.create(undefined);
  return {
    sandbox: handle.sandbox,
    run: (line) => provider.runCommand(handle, line),
    close: () => provider.close(),
  };
}

async function openDeepAgents(engine) {
  const backend = await createDeepAgentsSandbox(class {}, { engine });
  const run = async (line) => {
    const { exitCode, output } = await backend.execute(line);
    return { exitCode, stdout: output };
  };
  return { sandbox: backend.sandbox, run, close: () => backend.close() };
}

const MASTRA = {
  MastraSandbox: class {
    constructor({ processes }) {
      this.processes = processes;
    }
  },
  SandboxProcessManager: class {
    _tracked = new Map();
  },
  ProcessHandle: class {
    stdout = '';
    stderr = '';
    emitStdout(text) {
      this.stdout += text;
    }
    emitStderr(text) {
      this.stderr += text;
    }
  },
};

/** `executeCommand` of the framework is a spawn without stdin and its end. */
async function openMastra(engine) {
  const mastra = createMastraSandbox(MASTRA, { engine });
  await mastra.start();
  const run = async (line) => {
    const handle = await mastra.processes.spawn(line, { stdinMode: 'ignore' });
    const ended = await handle.wait();
    mastra.processes._tracked.delete(handle.pid);
    return ended;
  };
  return { sandbox: mastra.sandbox, run, close: () => mastra.destroy() };
}

class Manifest {
  root = '/workspace';
  entries = {};
  environment = {};
  users = [];
  groups = [];
  extraPathGrants = [];
  ephemeralPersistencePaths = () => new Set();
  resolveEnvironment = async () => this.environment;
}

async function openOpenAIAgents(engine) {
  const client = createOpenAIAgentsClient({ Manifest, cloneManifest: () => new Manifest() }, { engine });
  const session = await client.create({ manifest: {} });
  return { sandbox: session.sandbox, run: (cmd) => session.exec({ cmd }), close: () => client.close() };
}

async function openTanstack(engine) {
  const provider = createTanstackProvider({ createExecBackedGit: () => ({}) }, { engine });
  const { sandbox, process } = await provider.create({});
  return { sandbox, run: (line) => process.exec(line), close: () => provider.close() };
}

export const ADAPTER_CALLS = [
  { name: 'ai_sdk', shell: BASH, open: openAiSdk },
  { name: 'bash_tool', shell: BASH, open: openBashTool },
  { name: 'computesdk', shell: SH, open: openComputeSdk },
  { name: 'deepagents', shell: SH, open: openDeepAgents },
  { name: 'mastra', shell: SH, open: openMastra },
  { name: 'openai_agents', shell: SH, open: openOpenAIAgents },
  { name: 'tanstack', shell: SH, open: openTanstack },
];
