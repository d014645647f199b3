// Many runs at once: order, bounds, ends.
import type { EachRunManyOptions, ManyRequests, RunRequest } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { timed } from '../helpers/wait.js';

const suite = useEngine({ parallelism: 2, queueLength: 3 });
const echo = (text: string): RunRequest => ({ file: '/bin/echo', args: [text] });

test('results come in the order of the requests, more than the queue would take', async () => {
  const requests = Array.from({ length: 30 }, (_, index) => ({
    file: t('sleep-ms'),
    args: [index % 3 === 0 ? '20' : '0'],
    options: { stdin: { text: String(index) }, copyOut: [], files: { [`n${index}`]: '' } },
  }));
  let index = 0;
  for await (const result of suite.engine.runMany(requests, { concurrency: 50 })) {
    expect(result.status).toBe('ok');
    index += 1;
  }
  expect(index).toBe(30);
});

test('no more run than concurrency says, and requests are taken only as there is room', async () => {
  let taken = 0;
  let highest = 0;
  async function* endless(): AsyncGenerator<RunRequest> {
    for (;;) {
      taken += 1;
      yield echo(String(taken));
    }
  }
  const texts: string[] = [];
  for await (const { stdout } of suite.engine.runMany(endless(), { concurrency: 2 })) {
    texts.push(stdout.text().trim());
    highest = Math.max(highest, suite.engine.counters().running);
    if (texts.length === 10) break;
  }
  expect(texts).toEqual(Array.from({ length: 10 }, (_, index) => String(index + 1)));
  expect(highest).toBeLessThanOrEqual(2);
  expect(taken).toBeLessThanOrEqual(14);
});

async function* generated(requests: readonly RunRequest[]): AsyncGenerator<RunRequest> {
  yield* requests;
}

test.each([
  ['an array', (requests: RunRequest[]) => requests],
  ['a generator that has them', generated],
])('requests of %s are all taken before the loop turns', async (_, of) => {
  const results = suite.engine.runMany(of(Array(5).fill(echo('x'))), { concurrency: 5 });
  const first = results.next();
  for (let count = 0; count < 1000; count++) await undefined;
  const { running, waiting } = suite.engine.counters();
  expect(running + waiting).toBe(5);
  expect((await first).value?.stdout.text()).toBe('x\n');
  for await (const { status } of results) expect(status).toBe('ok');
});

test('awaited without a loop it gives all results', async () => {
  const results = suite.engine.runMany(['a', 'b', 'c', 'd', 'e'].map(echo));
  expect((await results).map(({ stdout }) => stdout.text().trim())).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await results).toBe(await results);
  const each = await suite.engine.runMany([echo('a'), { file: '/no/such' }], { settle: 'each' });
  expect(each.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(suite.engine.runMany([echo('a'), { file: '/no/such' }])).rejects.toMatchObject({
    code: 'SBX_PROGRAM_NOT_FOUND',
  });
});

test('it has the other calls of a promise, which start the runs as well', async () => {
  const missing = () => suite.engine.runMany([{ file: '/no/such' }]);
  expect(await missing().catch(({ code }) => code)).toBe('SBX_PROGRAM_NOT_FOUND');
  let ends = 0;
  const results = suite.engine.runMany([echo('a')]).finally(() => {
    ends += 1;
  });
  expect((await results).map(({ stdout }) => stdout.text())).toEqual(['a\n']);
  await expect(missing().finally(() => ends++)).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
  expect(ends).toBe(2);
});

test('awaited after a loop has begun it gives the rest', async () => {
  const results = suite.engine.runMany(['a', 'b', 'c'].map(echo));
  expect((await results.next()).value?.stdout.text()).toBe('a\n');
  expect((await results).map(({ stdout }) => stdout.text())).toEqual(['b\n', 'c\n']);
});

test('leaving the loop kills what runs', async () => {
  const requests = [echo('first'), ...Array(3).fill({ file: t('sleep-ms'), args: ['20000'] })];
  const { ms } = await timed(async () => {
    for await (const { stdout } of suite.engine.runMany(requests)) {
      expect(stdout.text()).toBe('first\n');
      break;
    }
  });
  expect(ms).toBeLessThan(5000);
  expect(suite.engine.counters().running).toBe(0);
});

test('a run that rejects ends it with its error; a signal does, too', async () => {
  const all = async (requests: Iterable<RunRequest>, signal?: AbortSignal) => {
    for await (const _ of suite.engine.runMany(requests, { signal }));
  };
  await expect(all([echo('a'), { file: '/no/such' }, echo('b')])).rejects.toMatchObject({
    code: 'SBX_PROGRAM_NOT_FOUND',
  });
  await expect(
    all([{ file: t('sleep-ms'), args: ['20000'] }], AbortSignal.timeout(50)),
  ).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  await expect(all([{ file: 5 as unknown as string }])).rejects.toMatchObject({
    code: 'SBX_INVALID_OPTIONS',
  });
});

test.each([
  [[], { concurrency: 0 }, /options.concurrency must be/],
  [5, {}, /requests must be an iterable/],
  [[], { settle: 'one' }, /options.settle must be/],
  [[], { concurency: 2 }, /Did you mean concurrency/],
])('%j %j is refused', async (requests, options, message) => {
  const iterate = suite.engine.runMany(requests as RunRequest[], options as object).next();
  await expect(iterate).rejects.toThrow(message);
});

test.each<[unknown, RegExp]>([
  [['ls'], /^requests\[1\] must be a plain object/],
  [{ file: 5 }, /^requests\[1\]\.file must be a string; got the number 5/],
  [{ file: 'cat', args: 'x' }, /^requests\[1\]\.args must be an array/],
  [
    { file: 'cat', options: { limits: { cpuTimeMs: '1' } } },
    /^requests\[1\]\.options\.limits\.cpuTimeMs must/,
  ],
  [{ file: 'cat', options: null }, /^requests\[1\]\.options must/],
  [{ file: 'cat', stdin: 'null' }, /^requests\[1\]\.stdin .*It belongs into options: \{ stdin: … \}/],
  [{ file: 'cat', arg: [] }, /^requests\[1\]\.arg .*Did you mean args\?/],
  [{ file: 'cat', options: { limits: { cpu: 1 } } }, /^requests\[1\]\.options\.limits\.cpu /],
])('the request %j is refused by its place', async (request, message) => {
  const requests = [echo('first'), request as RunRequest];
  const all = async () => {
    for await (const _ of suite.engine.runMany(requests, { concurrency: 1 }));
  };
  await expect(all()).rejects.toThrow(message);
});

test('beyond the queue the error says which option bounds it, and what to do', async () => {
  const requests = Array.from({ length: 9 }, () => suite.engine.run(t('sleep-ms'), ['50']));
  const refused = (await Promise.allSettled(requests)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(4);
  expect(refused[0]).toMatchObject({
    reason: {
      code: 'SBX_OVERLOADED',
      message: expect.stringMatching(/queueLength.*runMany/),
      details: { queueLength: 3, parallelism: 2 },
    },
  });
});

test('a result is given though the next request is made of it', async () => {
  const texts: string[] = [];
  let answer = (_: string) => {};
  async function* questions(): AsyncGenerator<RunRequest> {
    for (let text = 'a'; text.length < 5; ) {
      const answered = new Promise<string>((resolve) => {
        answer = resolve;
      });
      yield echo(text);
      text += (await answered).trim();
    }
  }
  for await (const { stdout } of suite.engine.runMany(questions())) {
    texts.push(stdout.text());
    answer('b');
  }
  expect(texts).toEqual(['a\n', 'ab\n', 'abb\n', 'abbb\n']);
});

test('an abort ends it while a request is waited for that never comes', async () => {
  const controller = new AbortController();
  async function* stuck(): AsyncGenerator<RunRequest> {
    yield echo('first');
    await new Promise(() => {});
  }
  const texts: string[] = [];
  const over = (async () => {
    for await (const { stdout } of suite.engine.runMany(stuck(), { signal: controller.signal })) {
      texts.push(stdout.text());
      setTimeout(() => controller.abort(new Error('enough')), 20);
    }
  })();
  await expect(over).rejects.toThrow('enough');
  expect(texts).toEqual(['first\n']);
});

test('a run that rejects ends it while a request is waited for', async () => {
  async function* stuck(): AsyncGenerator<RunRequest> {
    yield { file: '/no/such' };
    await new Promise(() => {});
  }
  const over = suite.engine.runMany(stuck()).next();
  await expect(over).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
});

test('what the source throws ends it, and it is told to stop when the loop is left', async () => {
  let stopped = 0;
  async function* faulty(requests: RunRequest[]): AsyncGenerator<RunRequest> {
    try {
      yield* requests;
      throw new Error('no more');
    } finally {
      stopped += 1;
    }
  }
  const failing = (async () => {
    for await (const _ of suite.engine.runMany(faulty([echo('a')])));
  })();
  await expect(failing).rejects.toThrow('no more');
  for await (const _ of suite.engine.runMany(faulty(Array(9).fill(echo('a'))))) break;
  expect(stopped).toBe(2);
});

test.each<[string, (slow: RunRequest) => AsyncGenerator<RunRequest> | RunRequest[], unknown]>([
  ['a request that is refused', (slow) => [slow, { file: 5 } as never], { code: 'SBX_INVALID_OPTIONS' }],
  [
    'what the source throws',
    async function* (slow) {
      yield slow;
      throw new Error('no more');
    },
    new Error('no more'),
  ],
])('%s comes after the results of those before', async (_, requestsOf, expected) => {
  const results = suite.engine.runMany(requestsOf({ file: t('sleep-ms'), args: ['200'] }));
  expect((await results.next()).value?.status).toBe('ok');
  await expect(results.next()).rejects.toMatchObject(expected as object);
});

describe('settle: each', () => {
  const toldOf = async (requests: ManyRequests, more: Partial<EachRunManyOptions> = {}) => {
    const told: unknown[] = [];
    const all = suite.engine.runMany(requests, { ...more, settle: 'each' });
    try {
      for await (const outcome of all)
        told.push(outcome.status === 'fulfilled' ? outcome.value.stdout.text() : outcome.reason);
    } catch (error) {
      told.push({ thrown: error });
    }
    return told;
  };

  test('runs go on beside those that reject and requests that are refused', async () => {
    const mine = { file: t('sleep-ms'), args: ['20000'], options: { signal: AbortSignal.timeout(50) } };
    const requests = [echo('a'), { file: '/no/such' }, mine, { file: 5 }, { arg: 1 }, echo('b')];
    expect(await toldOf(requests as RunRequest[])).toMatchObject([
      'a\n',
      { code: 'SBX_PROGRAM_NOT_FOUND' },
      { name: 'TimeoutError' },
      { code: 'SBX_INVALID_OPTIONS' },
      { code: 'SBX_INVALID_OPTIONS', message: expect.stringMatching(/^requests\[4\]\.arg /) },
      'b\n',
    ]);
  });

  test('its signal, what the source throws and a closed engine end the whole', async () => {
    const sleeping = { file: t('sleep-ms'), args: ['20000'] };
    expect(await toldOf([echo('a'), sleeping], { signal: AbortSignal.timeout(300) })).toMatchObject([
      'a\n',
      { thrown: { name: 'TimeoutError' } },
    ]);
    async function* faulty(): AsyncGenerator<RunRequest> {
      yield { file: '/no/such' };
      throw new Error('no more');
    }
    expect(await toldOf(faulty())).toMatchObject([
      { code: 'SBX_PROGRAM_NOT_FOUND' },
      { thrown: { message: 'no more' } },
    ]);
    await withEngine({}, async (engine) => {
      const all = engine.runMany(Array(9).fill(sleeping), { concurrency: 1, settle: 'each' });
      const first = all.next(); // killed by the closing
      setImmediate(() => engine.close());
      expect((await first).value).toMatchObject({ value: { status: 'killed' } });
      await expect(all.next()).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    });
  });
});

test('a hundred runs that share a signal give it one listener', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  const { signal } = new AbortController();
  await using sandbox = await suite.engine.createSandbox();
  await Promise.all(Array.from({ length: 30 }, () => sandbox.run('/bin/true', [], { signal })));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
