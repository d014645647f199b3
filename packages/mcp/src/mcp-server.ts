/**
 * One server of the protocol, as a session or a single request gets it: the tools and resources over its
 * sandboxes.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { DEFAULT_LIMITS } from '@sbx/core';
import { addResources } from './resources.js';
import { addTool, type ToolContext } from './tools/add-tool.js';
import { listFilesTool, readFileTool, writeFileTool } from './tools/files.js';
import { exposePortTool } from './tools/ports.js';
import { readOutputTool, startProcessTool, stopProcessTool, writeInputTool } from './tools/processes.js';
import { runCodeTool } from './tools/run-code.js';
import { runCommandTool } from './tools/run-command.js';
import { closeSandboxTool, createSandboxTool } from './tools/sandboxes.js';

/** Members of arrays and objects in the arguments of one call. */
const ARGUMENT_ELEMENTS_MAX = 2000;
const MiB = 2 ** 20;

export function makeMcpServer(context: ToolContext, version: string): McpServer {
  const server = new McpServer(
    { name: 'sbx', title: 'sbx sandboxes', version },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: instructionsFor(context),
      maxToolInputElements: ARGUMENT_ELEMENTS_MAX,
    },
  );
  addTool(server, context, runCodeTool(context));
  addTool(server, context, runCommandTool(context));
  addTool(server, context, writeFileTool(context));
  addTool(server, context, readFileTool(context));
  addTool(server, context, listFilesTool(context));
  addTool(server, context, startProcessTool(context));
  addTool(server, context, readOutputTool(context));
  addTool(server, context, writeInputTool(context));
  addTool(server, context, stopProcessTool(context));
  if (context.options.exposePorts) addTool(server, context, exposePortTool(context));
  addTool(server, context, createSandboxTool(context));
  addTool(server, context, closeSandboxTool(context));
  addResources(server, context);
  return server;
}

/** A paragraph about the box, for the model. */
function instructionsFor({ options, registry }: ToolContext): string {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const seconds = (ms: number | null) => (ms === null ? 'unlimited' : `${ms / 1000} s`);
  const network = options.network === 'loopback' ? 'only 127.0.0.1 of its own' : 'no network';
  return (
    `Isolated Linux sandboxes with ${network}. Programs start in the work folder /w as an ordinary user; /usr is the host's, read-only, and ` +
    `nothing can be installed from outside. Without other limits a program has ${seconds(limits.cpuTimeMs)} of CPU time, ` +
    `${seconds(limits.wallTimeMs)} of real time and ${Math.floor((limits.memoryBytes ?? 0) / MiB)} MiB of memory; a verdict other ` +
    'than ok says which limit ended it. Languages of run_code, where installed: ' +
    `${registry
      .list()
      .map(({ name }) => name)
      .join(', ')}.`
  );
}
