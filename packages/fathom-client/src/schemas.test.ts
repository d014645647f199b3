import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { executeSchema, MESSAGE_SCHEMAS } from './schemas.js';
import { encodeMessage, Stamper } from './wire/codec.js';
import type * as wire from './wire/messages.js';
import { serverMessageProblem } from './wire/validate.js';

type Of<Type extends keyof typeof MESSAGE_SCHEMAS> = z.infer<(typeof MESSAGE_SCHEMAS)[Type]>;

test('what the schemas let through is what the types say', () => {
  expectTypeOf<Of<'execute'>>().toExtend<wire.ExecuteMessage>();
  expectTypeOf<wire.ExecuteMessage>().toExtend<Of<'execute'>>();
  expectTypeOf<Of<'cancel'>>().toEqualTypeOf<wire.CancelMessage>();
  expectTypeOf<Of<'status'>>().toEqualTypeOf<wire.StatusMessage>();
  expectTypeOf<Of<'ack'>>().toEqualTypeOf<wire.AckMessage>();
  expectTypeOf<wire.ResultMessage>().toExtend<Of<'result'>>();
  expectTypeOf<wire.ErrorMessage>().toExtend<Of<'error'>>();
  expectTypeOf<wire.PongMessage>().toExtend<Of<'pong'>>();
});

const execute = {
  v: 1,
  type: 'execute',
  id: 'a',
  ts: '2025-12-27T11:30:00.000Z',
  language: 'python',
  code: '',
  limits: { timeout_ms: 1000, memory_mb: 64 },
};

/** The rule that is broken, or `null`. */
function ruleBroken(change: object, limits: object = {}): string | null {
  const value = { ...execute, ...change, limits: { ...execute.limits, ...limits } };
  return MESSAGE_SCHEMAS.execute.safeParse(value).error?.issues[0]?.message ?? null;
}

describe('execute', () => {
  test.each([
    ['as in the specification', {}],
    ['null for what is optional', { stdin: null, env: null }],
    ['unknown fields', { priority: 7 }],
    ['code of exactly 1 MiB', { code: 'x'.repeat(2 ** 20) }],
    ['two bytes a character, within 1 MiB', { code: 'é'.repeat(2 ** 19) }],
    ['128 variables', { env: Object.fromEntries(Array.from({ length: 128 }, (_, at) => [`V${at}`, ''])) }],
  ])('lets through: %s', (_, change) => expect(ruleBroken(change)).toBeNull());

  test.each([
    ['code one byte over', { code: `${'x'.repeat(2 ** 20)}y` }, /1048576 bytes/],
    ['code over in bytes, not in characters', { code: `${'é'.repeat(2 ** 19)}y` }, /1048576 bytes/],
    ['stdin one byte over', { stdin: 'x'.repeat(2 ** 22 + 1) }, /4194304 bytes/],
    ['a lone surrogate', { code: '\ud800' }, /lone surrogates/],
    ['a number as id', { id: 7 }, /1 to 256/],
    ['an id of 257', { id: 'x'.repeat(257) }, /1 to 256/],
    [
      '129 variables',
      { env: Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`V${at}`, ''])) },
      /128 names/,
    ],
    ['a variable that is no string', { env: { A: 1 } }, /strings/],
    ['an empty name', { env: { '': 'x' } }, /empty name/],
    ['= in a name', { env: { 'a=b': 'x' } }, /"="/],
    ['NUL in a value', { env: { a: 'x\0' } }, /NUL/],
    ['too many bytes of env', { env: { a: 'x'.repeat(131_072) } }, /131072 bytes/],
    ['too many bytes of one variable', { env: { a: 'x'.repeat(131_070) } }, /131070 bytes/],
    ['env as an array', { env: [] }, /object/],
  ])('refuses %s', (_, change, rule) => expect(ruleBroken(change)).toMatch(rule));

  test.each([
    [{ timeout_ms: 0 }, /1 to 300000/],
    [{ timeout_ms: 300_001 }, /1 to 300000/],
    [{ timeout_ms: 1.5 }, /integer/],
    [{ timeout_ms: '1000' }, /integer/],
    [{ timeout_ms: true }, /integer/],
    [{ memory_mb: 1025 }, /1 to 1024/],
    [{ cpu_shares: 1 }, /2 to 262144/],
    [{ max_output_bytes: 67_108_865 }, /67108864/],
  ])('refuses the limits %j', (limits, rule) => expect(ruleBroken({}, limits)).toMatch(rule));

  test('a server sets its own upper ends', () => {
    const schema = executeSchema({
      timeoutMsMax: 500,
      memoryMbMax: 4096,
      outputBytesMax: 10,
      codeBytesMax: 3,
      stdinBytesMax: 0,
    });
    const issues = schema.safeParse({
      ...execute,
      code: 'four',
      limits: { timeout_ms: 501, memory_mb: 4096 },
    }).error!.issues;
    expect(issues.map(({ path }) => path.join('.'))).toEqual(['code', 'limits.timeout_ms']);
  });
});

describe('guard and schemas agree', () => {
  const ts = new Stamper().now();
  const good = [
    encodeMessage({ type: 'ack', id: 'a' }, ts),
    encodeMessage({ type: 'status', id: 'a', status: 'oom' }, ts),
    encodeMessage({ type: 'stdout', id: 'a', data: '' }, ts),
    encodeMessage({ type: 'result', id: 'a', exit_code: null, duration_ms: 0 }, ts),
    encodeMessage(
      { type: 'result', id: 'a', exit_code: 1, duration_ms: 3, resource_usage: { cpu_time_ms: 0 } },
      ts,
    ),
    encodeMessage({ type: 'error', code: 'TIMEOUT', message: '', retryable: false }, ts),
    encodeMessage({ type: 'pong', load: { active_executions: 0, queue_depth: 0 } }, ts),
    encodeMessage({ type: 'pong', id: 'p' }, ts),
  ].map((text) => JSON.parse(text));
  const bad = good
    .flatMap((message) =>
      Object.keys(message)
        .filter((key) => !['load', 'resource_usage', 'ts'].includes(key))
        .flatMap((key) =>
          [true, {}, key === 'id' && message.type !== 'error' ? '' : 1.5].map((wrong) => ({
            ...message,
            [key]: wrong,
          })),
        ),
    )
    .filter(({ retryable }) => retryable !== true);

  test.each(good)('takes %j', (message) => {
    expect(serverMessageProblem(message)).toBeNull();
    expect(schemaFor(message).safeParse(message).error?.issues ?? []).toEqual([]);
  });

  test.each(bad)('refuses %j', (message) => {
    expect(serverMessageProblem(message)).not.toBeNull();
    expect(schemaFor(message)?.safeParse(message).success ?? false).toBe(false);
  });
});

function schemaFor({ type }: { type: unknown }): z.ZodType {
  return (MESSAGE_SCHEMAS as Record<string, z.ZodType>)[type as string]!;
}
