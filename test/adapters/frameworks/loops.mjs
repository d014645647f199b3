/**
 * Agent loops of the frameworks themselves, with models that call one tool after another: each is
 * `(engine, limits, lines) => outputs`, where a line is a command that the model asks for and its output is
 * what the loop hands back to the model. The sandbox is closed at the end. Run from a folder where the
 * frameworks are installed.
 */
import { randomUUID } from 'node:crypto';
import { createSandboxSession } from '@sbx/adapters/ai-sdk';
import { createBashToolSandbox } from '@sbx/adapters/bash-tool';
import { createComputeProvider } from '@sbx/adapters/computesdk';
import { createDeepAgentsSandbox } from '@sbx/adapters/deepagents';
import { createMastraSandbox } from '@sbx/adapters/mastra';
import { createOpenAIAgentsClient } from '@sbx/adapters/openai-agents';
import { createTanstackProvider } from '@sbx/adapters/tanstack';

const textOf = (content) => (typeof content === 'string' ? content : JSON.stringify(content));

async function deepagents(engine, limits, lines) {
  const { BaseSandbox, createDeepAgent } = await import('deepagents');
  const { AIMessage, fakeModel } = await import('langchain');
  const backend = await createDeepAgentsSandbox(BaseSandbox, { engine, limits });
  const commands = lines.values();
  // Where much was printed the framework asks for a summary in between.
  const answer = (messages) => {
    const last = messages.at(-1);
    if (last.getType() === 'human' && last.content !== 'Go.') return new AIMessage('summary');
    const { value: command, done } = commands.next();
    if (done) return new AIMessage('done');
    return new AIMessage({
      content: '',
      tool_calls: [{ id: randomUUID(), name: 'execute', args: { command } }],
    });
  };
  const model = fakeModel();
  for (let i = 0; i < 3 * lines.length + 1; i++) model.respond(answer);
  const agent = createDeepAgent({ model, backend });
  const input = { messages: [{ role: 'user', content: 'Go.' }] };
  const { messages } = await agent.invoke(input, { recursionLimit: 1000 }).finally(() => backend.close());
  return messages.filter((message) => message.getType() === 'tool').map(({ content }) => textOf(content));
}

async function openaiAgents(engine, limits, lines) {
  const agents = await import('@openai/agents-core');
  const framework = await import('@openai/agents-core/sandbox');
  const { assistantMessage, functionCall, ScriptedModel } = await import('@openai/agents-core/testing');
  agents.setTracingDisabled(true);
  const client = createOpenAIAgentsClient({ ...agents, ...framework }, { engine, limits });
  const calls = lines.map((cmd, i) => [functionCall('exec_command', { cmd }, { callId: `${i}` })]);
  const model = new ScriptedModel([...calls, [assistantMessage('done')]]);
  const agent = new framework.SandboxAgent({ name: 'coder', model });
  const options = { sandbox: { client }, maxTurns: lines.length + 1 };
  const { history } = await agents.run(agent, 'Go.', options).finally(() => client.close());
  const outputs = history.filter((item) => item.type === 'function_call_result');
  return outputs.map(({ output }) => textOf(output.text ?? output));
}

/** A model of the AI SDK. */
async function scriptedModel(toolName, inputs) {
  const { MockLanguageModelV4 } = await import('ai/test');
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const calls = inputs.map((input, i) => [
    { type: 'tool-call', toolCallId: `${i}`, toolName, input: JSON.stringify(input) },
  ]);
  const turns = [...calls, [{ type: 'text', text: 'done' }]];
  let turn = 0;
  const next = () => {
    const content = turns[turn++];
    const unified = content[0].type === 'text' ? 'stop' : 'tool-calls';
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
  return new MockLanguageModelV4({ doGenerate: async () => next() });
}

/** The AI SDK's own loop. What it hands to the model of each call. */
async function generate(tools, toolName, lines, more = {}) {
  const { generateText, isStepCount } = await import('ai');
  const inputs = lines.map((command) => ({ command }));
  const model = await scriptedModel(toolName, inputs);
  const stopWhen = isStepCount(lines.length + 1);
  const { steps } = await generateText({ model, tools, prompt: 'Go.', stopWhen, ...more });
  return steps.flatMap((step) => step.toolResults.map(({ output }) => textOf(output)));
}

/** The least that an application gives a model: a line of shell. */
async function shellTool(execute) {
  const { jsonSchema, tool } = await import('ai');
  const properties = { command: { type: 'string' } };
  const inputSchema = jsonSchema({ type: 'object', properties, required: ['command'] });
  return { shell: tool({ description: 'Runs a command.', inputSchema, execute }) };
}

async function bashTool(engine, limits, lines) {
  const { createBashTool } = await import('bash-tool');
  const sandbox = await createBashToolSandbox({ engine, limits });
  const { tools } = await createBashTool({ sandbox, destination: '/w' });
  return generate(tools, 'bash', lines).finally(() => sandbox.close());
}

async function aiSdk(engine, limits, lines) {
  const session = await createSandboxSession({ engine, limits });
  const execute = ({ command }, { experimental_sandbox: sandbox }) => sandbox.run({ command });
  const sandbox = { experimental_sandbox: session };
  return generate(await shellTool(execute), 'shell', lines, sandbox).finally(() => session.close());
}

/** ComputeSDK has no loop of its own: its sandboxes are an application's, and so is the tool. */
async function computeSdk(engine, limits, lines) {
  const { defineProvider } = await import('@computesdk/provider');
  const provider = createComputeProvider(defineProvider, { engine, limits });
  const sandbox = await provider.sandbox.create();
  const tools = await shellTool(({ command }) => sandbox.runCommand(command));
  return generate(tools, 'shell', lines).finally(() => provider.close());
}

/** Its loops are those of command line agents: the definition and the handle are its own, the loop is not. */
async function tanstack(engine, limits, lines) {
  const framework = await import('@tanstack/ai-sandbox');
  const provider = createTanstackProvider(framework, { engine, limits });
  const workspace = framework.defineWorkspace({ source: { type: 'none' }, instructions: 'Go.' });
  const definition = framework.defineSandbox({ id: 'coder', provider, workspace });
  const handle = await definition.ensure({ threadId: 'thread', runId: 'run' });
  const tools = await shellTool(({ command }) => handle.process.exec(command));
  return generate(tools, 'shell', lines).finally(() => provider.close());
}

async function mastra(engine, limits, lines) {
  const { Agent } = await import('@mastra/core/agent');
  const framework = await import('@mastra/core/workspace');
  const sandbox = createMastraSandbox(framework, { engine, limits });
  const workspace = new framework.Workspace({ sandbox });
  const inputs = lines.map((command) => ({ command }));
  const model = await scriptedModel('mastra_workspace_execute_command', inputs);
  const agent = new Agent({ id: 'coder', name: 'coder', instructions: 'Go.', model, workspace });
  try {
    const { toolResults, steps } = await agent.generate('Go.', { maxSteps: lines.length + 1 });
    const all = steps?.flatMap((step) => step.toolResults) ?? toolResults;
    return all.map((it) => textOf(it.payload?.result ?? it.output));
  } finally {
    await sandbox.destroy();
  }
}

export const LOOPS = {
  deepagents,
  computesdk: computeSdk,
  'ai-sdk': aiSdk,
  'bash-tool': bashTool,
  'openai-agents': openaiAgents,
  mastra,
  tanstack,
};
