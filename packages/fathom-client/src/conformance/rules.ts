/** The rules of the specification, each with its section, and how to see whether a server keeps it. */
import { Peer } from './peer.js';
import { REFUSALS } from './refusals.js';
import { expectSequence, expectThat, type Rule, recommendation, rule } from './rule.js';

const CONNECTION: readonly Rule[] = [
  rule(
    'version-header',
    'Version Negotiation',
    'the upgrade is answered with the supported version',
    async ({ options }) => {
      const { peer, headers } = await Peer.open(options);
      peer.close();
      const version = String(headers['x-protocol-version'] ?? 'none');
      expectThat(/^1(\.0)?$/.test(version), `X-Protocol-Version is ${version}`);
    },
  ),
  rule(
    'version-refused',
    'Version Negotiation',
    'a version that is not supported ends the connection',
    async ({ options }) => {
      const opened = await Peer.open({ ...options, headers: { 'X-Protocol-Version': '999' } }).catch(
        () => null,
      );
      if (opened === null) return; // refused before it stood
      await opened.peer.end().finally(() => opened.peer.close());
    },
  ),
  recommendation(
    'token',
    'Authentication',
    'where a token is asked for, a wrong one does not get in',
    async ({ options }) => {
      if (options.token === undefined) return;
      const opened = await Peer.open({ ...options, token: `${options.token}x` }).catch(() => null);
      if (opened === null) return;
      await opened.peer.end().finally(() => opened.peer.close());
    },
  ),
  rule('ping', 'ping', 'is answered with a pong, without an id', async ({ peer }) => {
    peer.say('ping');
    const { load } = await peer.until(({ type }) => type === 'pong', 'a pong');
    expectThat(load === undefined || typeof load === 'object', 'load is no object');
  }),
];

const LIFE: readonly Rule[] = [
  rule(
    'success',
    'Successful Execution',
    'ack, running, output, completed, result',
    async ({ peer, programs: { language, both } }) => {
      const { sequence, stdout, stderr, result } = await peer.run({ language, code: both });
      expectSequence(
        sequence,
        /^ack running( stdout| stderr)+ completed result$/,
        'ack running stdout… completed result',
      );
      expectThat(
        stdout === 'out\n' && stderr === 'err\n',
        'output is not what was printed, each on its stream',
      );
      expectThat(result!.exit_code === 0, 'exit_code is not 0');
    },
  ),
  rule(
    'exit-code',
    'status, result',
    'another exit code is failed, with the code',
    async ({ peer, programs: { language, exit3 } }) => {
      const { sequence, result } = await peer.run({ language, code: exit3 });
      expectSequence(sequence, /^ack running( std\w+)* failed result$/, 'ack running failed result');
      expectThat(result!.exit_code === 3, `exit_code is ${String(result!.exit_code)}, must be 3`);
    },
  ),
  rule(
    'signal',
    'result',
    'exit_code is null when a signal killed it',
    async ({ peer, programs: { language, killSelf } }) => {
      const { result } = await peer.run({ language, code: killSelf });
      expectThat(result?.exit_code === null, `exit_code is ${String(result?.exit_code)}`);
    },
  ),
  rule(
    'stdin',
    'execute',
    'stdin is what the program reads, then ends',
    async ({ peer, programs: { language, echo } }) => {
      const { stdout } = await peer.run({ language, code: echo, stdin: 'grüße\n' });
      expectThat(stdout === 'grüße\n', 'the program did not read what was sent');
      expectThat(
        (await peer.run({ language, code: echo, stdin: null })).stdout === '',
        'without stdin there is no end of file',
      );
    },
  ),
  rule('env', 'execute', 'env is what the program sees', async ({ peer, programs: { language, env } }) => {
    const { stdout } = await peer.run({ language, code: env, env: { CONFORM: 'a b=c' } });
    expectThat(stdout === 'a b=c\n', 'the variable is not there');
  }),
  rule(
    'streaming',
    'Design Principles 2',
    'output comes while the program runs; cancel ends it: cancelled, result',
    async ({ peer, programs: { language, sleep } }) => {
      const id = peer.start({ language, code: sleep });
      await peer.until(
        (message) => message.id === id && message.type === 'stdout',
        'output of a program that goes on',
      );
      peer.say('cancel', { id });
      const { sequence, result } = await peer.fate(id);
      expectSequence(
        sequence,
        /^ack running( stdout| stderr)+ cancelled result$/,
        'ack running stdout cancelled result',
      );
      expectThat(result!.exit_code === null, 'exit_code is not null');
    },
  ),
  rule(
    'order',
    'stdout / stderr',
    'the text of one stream is in order and whole',
    async ({ peer, programs: { language, count } }) => {
      const { stdout } = await peer.run({ language, code: count });
      const wanted = Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join('');
      expectThat(stdout === wanted, 'what came is not what was printed');
    },
  ),
  recommendation(
    'together',
    'Message Format',
    'several executions of one connection run at the same time, told apart by id',
    async ({ peer, programs: { language, sleep, both } }) => {
      const id = peer.start({ language, code: sleep });
      await peer.until((message) => message.id === id && message.status === 'running', 'running');
      expectThat((await peer.run({ language, code: both })).stdout === 'out\n', 'the second one has not run');
      peer.say('cancel', { id });
      await peer.fate(id);
    },
  ),
];

const LIMITS: readonly Rule[] = [
  rule(
    'timeout',
    'Execution Timeout',
    'running, timeout, result; no shorter than the limit',
    async ({ peer, programs: { language, sleep } }) => {
      const { sequence, result } = await peer.run({ language, code: sleep, limits: { timeout_ms: 700 } });
      expectSequence(sequence, /^ack running( std\w+)* timeout result$/, 'ack running timeout result');
      expectThat(
        (result!.duration_ms as number) >= 700,
        `duration_ms is ${String(result!.duration_ms)}, below the limit`,
      );
    },
  ),
  rule('oom', 'status', 'more than memory_mb is oom', async ({ peer, programs: { language, memory } }) => {
    const { sequence } = await peer.run({ language, code: memory, limits: { memory_mb: 128 } });
    expectSequence(sequence, /^ack running( std\w+)* oom result$/, 'ack running oom result');
  }),
  rule(
    'output-limit',
    'Error Codes',
    'more than max_output_bytes is OUTPUT_LIMIT, and no more is sent',
    async ({ peer, programs: { language, flood } }) => {
      const { error, stdout } = await peer.run({ language, code: flood, limits: { max_output_bytes: 5000 } });
      expectThat(error?.code === 'OUTPUT_LIMIT' && error.retryable === false, 'there is no such error');
      expectThat(stdout.length <= 5000, `${stdout.length} bytes came`);
    },
  ),
];

const ISOLATION: readonly Rule[] = [
  rule(
    'fresh',
    'Design Principles 1',
    'nothing of an execution is left for the next',
    async ({ peer, programs: { language, mark } }) => {
      for (const _ of [1, 2])
        expectThat(
          (await peer.run({ language, code: mark })).stdout === 'fresh\n',
          'a file of an earlier one is there',
        );
    },
  ),
  rule(
    'network',
    'Execution Isolation',
    'there is no network',
    async ({ peer, programs: { language, network } }) => {
      expectThat(
        (await peer.run({ language, code: network })).stdout === 'closed\n',
        'a host of the Internet answers',
      );
    },
  ),
];

/** After all others: what is true of every message that came. */
const MESSAGES: readonly Rule[] = [
  rule(
    'envelope',
    'Message Format',
    'each message has the envelope and the fields of its type; nothing follows the end',
    async ({ oddities }) => {
      const found = [...new Set(oddities)];
      expectThat(found.length === 0, found.join('; '));
    },
  ),
];

/** In the order in which they are checked. */
export const RULES: readonly Rule[] = [
  ...CONNECTION,
  ...LIFE,
  ...LIMITS,
  ...REFUSALS,
  ...ISOLATION,
  ...MESSAGES,
];
