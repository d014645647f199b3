// `node scripts/foreign-suite.mjs NAME`: provides a test suite of others; prints the command that starts it,
// as JSON.
import { join } from 'node:path';
import { npmSuite, pythonSuite } from './lib/foreign.mjs';
import { NODE_VERSIONS, nodeBinary } from './lib/nodes.mjs';
import { root } from './lib/paths.mjs';

const SUITES = {
  async 'mcp-conformance'() {
    const modules = await npmSuite('mcp-conformance', join(root, 'test/mcp/conformance'));
    const newest = await nodeBinary(NODE_VERSIONS.at(-1)); // it needs 22
    return [newest, join(modules, '@modelcontextprotocol/conformance/dist/index.js')];
  },
  async 'langchain-tests'() {
    const requirements = join(root, 'test/adapters/langchain/requirements.txt');
    return [await pythonSuite('langchain-tests', requirements), '-m', 'pytest'];
  },
  /** Not commands: folders of node_modules. */
  bundlers: async () => [await npmSuite('bundlers', join(root, 'test/bundlers'))],
  next: async () => [await npmSuite('next', join(root, 'test/bundlers/next'))],
  /** The folder, and the Nodes that all of them run on. */
  async 'agent-frameworks'() {
    const modules = await npmSuite('agent-frameworks', join(root, 'test/adapters/frameworks'));
    return [modules, ...(await Promise.all(NODE_VERSIONS.slice(1, 3).map(nodeBinary)))];
  },
  runtimes: async () => [await npmSuite('runtimes', join(root, 'test/runtimes'))],
};

console.log(JSON.stringify(await SUITES[process.argv[2]]()));
