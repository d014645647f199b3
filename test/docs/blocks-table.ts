// What the blocks of pages need around them to be programs that run; and those that do not run, with reasons.

export interface Preparation {
  /** Code before the block, in its language, and after it. */
  before?: string;
  after?: string;
  /** What a reader fills in, and addresses that may be taken on the machine of the test. */
  replace?: readonly (readonly [string, string])[];
  /** In the working folder. */
  files?: Readonly<Record<string, string>>;
  stdin?: string;
  /** On stdout. */
  prints?: RegExp;
  /** A server: it runs until it has printed this, and is ended then. */
  ready?: RegExp;
  /** A program of the machine, without which it is skipped. */
  needs?: string;
  /** It ends with this error where a compiler is missing that set-up does not install for tests. */
  mayLack?: RegExp;
}

const TOKEN_FILE = { token: 'a-token-of-the-test\n' };
const ANSWERING = 'while read -r line; do echo "$line"; done';

/** A server in the block's own process, for its client: the block finds one address or the other. */
const servedBy = (create: string, name: string, address: string) => ({
  before: `import { ${create} } from '@sbx/${name}';
await using served = await ${create}({ port: 0, token: process.env.TOKEN });
const { urls } = await served.listen();
`,
  replace: [[`'${address}'`, 'urls[0]']] as const,
});
const GOJUDGE = servedBy('createGojudgeServer', 'gojudge-server', 'http://localhost:5050');
const FATHOM = servedBy('createFathomServer', 'fathom-server', 'ws://127.0.0.1:8765');
const GOJUDGE_CLIENT = {
  before: `import { GojudgeClient } from '@sbx/gojudge-client';
${GOJUDGE.before}const client = new GojudgeClient({ url: urls[0], token: process.env.TOKEN });
`,
};
/** What servers print that are made by a program. */
const SERVING = /ready: \[ '(?:ws|http):/;
const CLUSTER = { replace: [["'nats://127.0.0.1:4222'", 'process.env.NATS']] } as const;
const ENGINE = {
  before: `import { Engine } from '@sbx/core';
`,
};

/** Of everything that is not listed, the block itself is the program. */
export const PREPARED: Readonly<Record<string, Preparation>> = {
  'docs/languages.md 1': { needs: '/usr/bin/g++' },
  'docs/languages.md 2': {
    before: `const code = 'fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap(); print!("{s}"); }';
const tests = [{ input: 'one' }, { input: 'two' }];
`,
    after: 'console.log(results.map(({ stdout }) => stdout.text()).join());',
    prints: /^one,two\n$/,
    needs: '/usr/bin/rustc',
  },
  'docs/languages.md 3': { prints: /^hello\n$/ },
  'docs/languages.md 4': { prints: /^hello you\n\n$/ },
  'docs/languages.md 5': {
    before: `${ENGINE.before}const engine = await Engine.open();\n`,
    prints: /^Python \d/m,
  },
  'docs/languages.md 6': {
    before: `const code = 'begin writeln(42) end.';\n`,
    mayLack: /"fpc" is not inside the sandbox/,
  },
  'docs/languages.md 7': { prints: /^201703\n\n$/, needs: '/usr/bin/g++' },
  'docs/protocols/fathom.md 1': {
    files: TOKEN_FILE,
    replace: [['8765', '0']],
    ready: /ready: ws:/,
  },
  'docs/protocols/fathom.md 2': { replace: [['port: 8765', 'port: 0']], ready: SERVING },
  'docs/protocols/fifo.md 1': {
    files: { 'agent.py': 'input()\n' },
    replace: [['/tmp/p1', '$PWD/p1']],
    prints: /\/p1\n(\d+\n\d+\nprocess .+\n){2}$/,
  },
  'docs/protocols/fifo.md 2': {
    before: `import { FifoClient } from '@sbx/fifo-client';
const code = 'input()';
setTimeout(() => new FifoClient(fifo.dir).terminate(), 500);
`,
  },
  'docs/protocols/fifo.md 3': {
    before: `${ENGINE.before}import { startFifoSandbox } from '@sbx/fifo-protocol/server';
const engine = await Engine.open();
const { dir } = await startFifoSandbox(engine, 'sh', ['-c', '${ANSWERING}'], { pipes: true });
const data = '1 2 3';
`,
    prints: /^query 42 \d+\n$/,
  },
  'docs/protocols/gojudge.md 2': { replace: [['5050', '0']], ready: SERVING },
  'docs/protocols/mcp.md 1': {
    files: TOKEN_FILE,
    replace: [
      ['8766', '0'],
      ['/run/secrets/mcp', 'token'],
    ],
    ready: /ready: http:/,
  },
  'docs/second-wall.md 1': {
    ...ENGINE,
    after: `const { stdout } = await engine.run('echo', ['alive']);
console.log(stdout.text());
`,
    prints: /^alive\n\n$/,
  },
  'packages/cli/README.md 1': {
    needs: '/usr/bin/g++',
    files: { 'solution.cpp': '#include <cstdio>\nint main() { puts("solved"); }\n' },
    replace: [['serve fathom', 'serve fathom --port 0']],
    ready: /^solved\n[\s\S]*^1\n[\s\S]*^Python[\s\S]*ready: ws:/m,
  },
  'packages/cluster/README.md 3': CLUSTER,
  'packages/cluster/README.md 4': {
    ...CLUSTER,
    before: `import { startWorker } from '@sbx/cluster';
await using worker = await startWorker({ servers: process.env.NATS, slots: 2 });
`,
    after: 'console.log(result.stdout.text());',
    prints: /^42\n\n$/,
  },
  'packages/fathom-client/README.md 2': {
    ...FATHOM,
    after: 'console.log(result.status, result.stdout);',
    prints: /^completed 42\n\n$/,
  },
  'packages/fathom-client/README.md 3': {
    before: `import { FathomClient } from '@sbx/fathom-client';
${FATHOM.before}await using client = new FathomClient({ url: urls[0], token: process.env.TOKEN });
`,
    prints: /^1\n2\n3\n3\d{3}/,
  },
  'packages/fathom-server/README.md 2': { replace: [['8765', '0']], ready: SERVING },
  'packages/fifo-client/README.md 2': {
    before: `${ENGINE.before}import { startFifoSandbox } from '@sbx/fifo-protocol/server';
const engine = await Engine.open();
const fifo = await startFifoSandbox(engine, 'sh', ['-c', '${ANSWERING}'], { pipes: true });
const query = 'one';
const askTheProgram = async () => {};
`,
    replace: [["'/run/judge/process-7'", 'fifo.dir']],
    after: 'console.log(filled.ok, status);',
    prints: /^true process running normally\n$/,
  },
  'packages/gojudge-client/README.md 2': {
    ...GOJUDGE,
    after: 'console.log(outcome.status, outcome.stdout);',
    prints: /^Accepted 42\n\n$/,
  },
  'packages/gojudge-client/README.md 3': {
    before: `import { createReadStream } from 'node:fs';\n${GOJUDGE_CLIENT.before}`,
    needs: '/usr/bin/g++',
    files: { 'main.cpp': 'int main() {}\n' },
  },
  'packages/gojudge-client/README.md 4': {
    before: `${GOJUDGE_CLIENT.before}const commands = [{ args: ['/bin/true'] }, { args: ['/bin/true'] }];\n`,
    after: 'console.log(outcomes.map(({ status }) => status).join());',
    prints: /^Accepted,Accepted\n$/,
  },
  'packages/gojudge-client/README.md 5': {
    ...GOJUDGE_CLIENT,
    after: 'console.log(Number(counted.stdout) > 1);',
    prints: /^true\n$/,
  },
  'packages/gojudge-client/README.md 6': {
    ...GOJUDGE_CLIENT,
    stdin: 'echo $((6 * 7))\nexit\n',
    prints: /42/,
  },
  'packages/gojudge-server/README.md 2': { replace: [['5050', '0']], ready: SERVING },
  'packages/mcp/README.md 2': { replace: [['{ token', '{ port: 0, token']], ready: SERVING },
  'docs/troubleshooting.md 1': {
    after: `const { exactly, byLine, byToken, byNumber } = isRight;
console.log(exactly('a\\n', 'a\\n'), byLine('a \\n\\n', 'a'), byToken('1  2\\n', '1\\n2'), byNumber('1e3 .3', '1000 0.3'));
console.log(exactly('a', 'a\\n'), byLine(' a', 'a'), byToken('1 2 3', '1 2'), byNumber('x 1', 'x 1'), byNumber('1', '1.1'));
`,
    prints: /^accepted\n(true ?){4}\n(false ?){5}\n$/,
  },
  'docs/troubleshooting.md 2': { prints: /^accepted\n$/ },
  'docs/troubleshooting.md 3': { prints: /^hello\n$/ },
  'docs/troubleshooting.md 5': {
    before: `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
mkdirSync('project/node_modules', { recursive: true });
mkdirSync('result');
writeFileSync('project/a.txt', 'one\\ntwo\\n');
writeFileSync('project/node_modules/b.txt', 'left out');
`,
    after: "console.log(readFileSync('result/build/report', 'utf8'));",
    prints: /^2 a\.txt\n/,
  },
};

const FRAMEWORK = 'needs a framework of another Node: test/adapters/frameworks.soak.test.ts runs it';

export const NOT_RUN: Readonly<Record<string, string>> = {
  'docs/cluster.md 1': 'commands of several machines: test/cluster/cli.test.ts runs each',
  'docs/cluster.md 2': 'needs a broker with accounts: test/cluster/accounts.test.ts has one, and runs them',
  'docs/containers.md 1': 'needs Docker and an image of the reader',
  'docs/operators.md 1':
    'loads an exporter that only the reader has: test/core/tracing.test.ts keeps the spans in memory',
  'docs/protocols/gojudge.md 1': 'two servers, one of them with flags left out: test/gojudge starts both',
  'docs/protocols/gojudge.md 3': 'looks at a server that is running: test/conformance is the same',
  'docs/second-wall.md 2': 'names a program and a hash that only the reader has',
  'docs/troubleshooting.md 4': 'installs from the registries of Python and npm',
  'packages/adapters/README.md 2': FRAMEWORK,
  'packages/adapters/README.md 3': FRAMEWORK,
  'packages/adapters/README.md 5': FRAMEWORK,
  'packages/adapters/README.md 6': FRAMEWORK,
  'packages/adapters/README.md 7': FRAMEWORK,
  'packages/adapters/README.md 8': FRAMEWORK,
  'packages/cluster/README.md 2': 'starts the broker that every test of test/cluster starts',
  'packages/gojudge-server/README.md 1': 'installs from the registry',
  'packages/server/README.md 3': 'one line for each framework: test/server/frameworks.test.ts runs them',
};
