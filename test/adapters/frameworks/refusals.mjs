// Run as `node refusals.mjs`: asks the frameworks themselves for what sandboxes have not, and prints the
// class and the message of each error as JSON in its last line.
import { defineProvider } from '@computesdk/provider';
import * as mastra from '@mastra/core/workspace';
import * as agents from '@openai/agents-core';
import * as openai from '@openai/agents-core/sandbox';
import { assistantMessage, ScriptedModel } from '@openai/agents-core/testing';
import { createComputeProvider } from '@sbx/adapters/computesdk';
import { createMastraSandbox } from '@sbx/adapters/mastra';
import { createOpenAIAgentsClient } from '@sbx/adapters/openai-agents';
import { createTanstackProvider } from '@sbx/adapters/tanstack';
import { Engine } from '@sbx/core';
import * as tanstack from '@tanstack/ai-sandbox';

agents.setTracingDisabled(true);
const engine = await Engine.open();
const client = createOpenAIAgentsClient({ ...agents, ...openai }, { engine });
const compute = createComputeProvider(defineProvider, { engine });
const provider = createTanstackProvider(tanstack, { engine });
const sandbox = createMastraSandbox(mastra, { engine });

/** A whole run of an agent, with these settings of its sandbox. */
const run = (settings) => {
  const model = new ScriptedModel([[assistantMessage('done')]]);
  const agent = new openai.SandboxAgent({ name: 'coder', model });
  return agents.run(agent, 'Go.', { sandbox: { client, ...settings } });
};
const grant = (extraPathGrant) => run({ manifest: { extraPathGrants: [extraPathGrant] } });
const ensure = (config) =>
  tanstack.defineSandbox({ id: 'coder', provider, ...config }).ensure({ threadId: 'thread', runId: 'run' });

const ASKED = {
  'openai-agents concurrencyLimits': () => run({ concurrencyLimits: { localDirFiles: 0 } }),
  'openai-agents hostPath': () => grant({ path: '/data', hostPath: '/tmp' }),
  'openai-agents extraPathGrants': () => grant({ path: '/var/lib' }),
  'openai-agents readOnly': () => grant({ path: '/tmp', readOnly: true }),
  'openai-agents options': () => run({ options: { exposedPorts: [80] } }),
  'computesdk memory': () => compute.sandbox.create({ memory: 512 }),
  'tanstack local': () => ensure({ workspace: { source: tanstack.localSource('/home') } }),
  'tanstack network': () => ensure({ policy: { capabilities: { network: 'allow' } } }),
  'mastra maxRetainedBytes': () => sandbox.executeCommand('true', [], { maxRetainedBytes: 2 ** 30 }),
};

const refusals = {};
for (const [name, ask] of Object.entries(ASKED))
  refusals[name] = await ask().then(
    () => 'done',
    (error) => `${error.constructor.name}: ${error.message}`,
  );
// What is done truly: more of what a manifest may have, on a run of its own.
await run({ concurrencyLimits: { manifestEntries: 1 }, manifest: { extraPathGrants: [{ path: '/usr' }] } });
await Promise.all([client.close(), compute.close(), provider.close(), sandbox.destroy()]);
const { sandboxes } = engine.counters();
await engine.close();
process.stdout.write(`\n${JSON.stringify({ refusals, sandboxes })}\n`);
