/** What a server must refuse, and how it says so. */
import { PROTOCOL_VERSION, WIRE_ERROR_CODES } from '../wire/index.js';
import { Peer } from './peer.js';
import { expectSequence, expectThat, type Rule, recommendation, rule } from './rule.js';

/** Something that is answered with this code, without retry, while the connection goes on. */
function refusal(
  code: keyof typeof WIRE_ERROR_CODES,
  act: (context: Parameters<Rule['check']>[0]) => void,
): Rule['check'] {
  return async (context) => {
    const { peer } = context;
    const error = await peer.errorAfter(() => act(context));
    expectThat(error.code === code, `the error is ${String(error.code)}, must be ${code}`);
    expectThat(error.retryable === WIRE_ERROR_CODES[code].retryable, 'retryable is not that of the table');
    peer.say('ping');
    await peer.until(({ type, ts }) => type === 'pong' && String(ts) >= String(error.ts), 'a pong after it');
  };
}

const execute = (fields: object) => ({
  id: 'conform_bad',
  language: 'python',
  code: '',
  limits: { timeout_ms: 1000, memory_mb: 64 },
  ...fields,
});

export const REFUSALS: readonly Rule[] = [
  rule(
    'language',
    'Request Rejected',
    'a language that is not there: LANGUAGE_NOT_SUPPORTED, without an ack',
    async ({ peer }) => {
      const { sequence, error } = await peer.run({ language: 'klingon', code: '' });
      expectSequence(sequence, /^error:LANGUAGE_NOT_SUPPORTED$/, 'error:LANGUAGE_NOT_SUPPORTED alone');
      expectThat(error!.retryable === false, 'it is retryable');
    },
  ),
  recommendation(
    'json',
    'Error Codes',
    'what is not JSON is INVALID_REQUEST',
    refusal('INVALID_REQUEST', ({ peer }) => peer.send('{')),
  ),
  recommendation(
    'v',
    'Versioning',
    'a message of another version is rejected',
    refusal('INVALID_REQUEST', ({ peer }) => peer.send({ v: 2, type: 'ping', ts: new Date().toISOString() })),
  ),
  rule(
    'ts',
    'Message Format',
    'ts is required',
    refusal('INVALID_REQUEST', ({ peer }) => peer.send({ v: PROTOCOL_VERSION, type: 'ping' })),
  ),
  rule(
    'type',
    'Error Codes',
    'an unknown type is INVALID_REQUEST',
    refusal('INVALID_REQUEST', ({ peer }) => peer.say('dance')),
  ),
  rule(
    'id',
    'Message Format',
    'an execution has an id',
    refusal('INVALID_REQUEST', ({ peer }) => peer.say('execute', execute({ id: undefined }))),
  ),
  rule(
    'limits',
    'execute',
    'limits are required',
    refusal('INVALID_REQUEST', ({ peer }) => peer.say('execute', execute({ limits: undefined }))),
  ),
  rule(
    'limits-range',
    'Input Validation',
    'limits are within ranges',
    refusal('INVALID_REQUEST', ({ peer }) =>
      peer.say('execute', execute({ limits: { timeout_ms: 0, memory_mb: 64 } })),
    ),
  ),
  rule(
    'env-type',
    'Input Validation',
    'env is an object of strings',
    refusal('INVALID_REQUEST', ({ peer }) => peer.say('execute', execute({ env: { A: 1 } }))),
  ),
  rule(
    'env-size',
    'Input Validation',
    'env has a maximum size',
    refusal('INVALID_REQUEST', ({ peer }) =>
      peer.say('execute', execute({ env: { A: 'x'.repeat(4_000_000) } })),
    ),
  ),
  rule('code-size', 'Input Validation', 'code has a maximum size', async ({ options }) => {
    const { peer } = await Peer.open(options);
    try {
      const answer = peer.errorAfter(() => peer.say('execute', execute({ code: '#'.repeat(64_000_000) })));
      await Promise.race([answer, peer.end()]).catch((error: unknown) =>
        expectThat(peer.closed !== null, String(error)),
      );
    } finally {
      peer.close();
    }
  }),
  rule(
    'cancel-unknown',
    'Error Codes',
    'a cancel of an unknown id is UNKNOWN_EXECUTION',
    refusal('UNKNOWN_EXECUTION', ({ peer }) => peer.say('cancel', { id: 'conform_never' })),
  ),
];
