// Sections 4 and 5: envelopes, errors about messages, the fields of `execute`. Each row: what is sent, and
// the answer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute, type Heard, Talk, TS, useServer } from './server.js';

const served = useServer({ languages: ['python', 'javascript', 'shell', 'elixir'] });
let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

/** The answer to one message; the connection is still good afterwards. */
async function answerTo(message: string | object | Buffer): Promise<Heard> {
  const answer = talk.next();
  if (Buffer.isBuffer(message)) talk.socket.send(message, { binary: true });
  else talk.send(message);
  const heard = await answer;
  const pong = talk.next();
  talk.ping();
  expect((await pong).type).toBe('pong');
  return heard;
}

const refused = {
  v: 1,
  type: 'error',
  code: 'INVALID_REQUEST',
  retryable: false,
  message: expect.any(String),
};
const base = execute({ id: 'x' });
const without = (key: string) => Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));

describe('messages without an id that can be read: the error has none, and the connection stays', () => {
  test.each<[string, string | object | Buffer]>([
    ['not JSON', '{"v":1,'],
    ['empty', ''],
    ['a JSON string', '"execute"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['a binary frame that is no UTF-8', Buffer.from([0xff, 0xfe])],
    ['a binary frame that is no JSON', Buffer.from('hello')],
    ['cancel without id', { v: 1, type: 'cancel', ts: TS }],
    ['execute without id', without('id')],
    ['a number as id', { ...base, id: 7 }],
    ['null as id', { ...base, id: null }],
    ['an empty id', { ...base, id: '' }],
    ['an id of 257 characters', { ...base, id: 'i'.repeat(257) }],
    ['a lone surrogate as id', `${JSON.stringify({ ...base, id: 'ID' }).replace('ID', '\\ud800')}`],
  ])('%s', async (_, message) => {
    const answer = await answerTo(message);
    expect(answer).toMatchObject(refused);
    expect(answer).not.toHaveProperty('id');
  });
});

describe('messages with an id: the error carries it', () => {
  test.each<[string, object, RegExp]>([
    ['no v', without('v'), /^v: .*1/],
    ['v as text', { ...base, v: '1' }, /^v: .*1/],
    ['v 2', { ...base, v: 2 }, /^v: .*1/],
    ['no ts', without('ts'), /^ts: /],
    ['a number as ts', { ...base, ts: 7 }, /^ts: /],
    ['a ts that is no time', { ...base, ts: 'yesterday' }, /^ts: .*ISO 8601/],
    ['an empty ts', { ...base, ts: '' }, /^ts: /],
    ['a date as ts', { ...base, ts: '2025-12-27' }, /^ts: /],
    ['no type', without('type'), /^type: /],
    ['an unknown type', { ...base, type: 'exec' }, /^type: /],
    ['a type of the server', { ...base, type: 'stdout' }, /^type: /],
    ['a type that objects inherit', { ...base, type: 'constructor' }, /^type: /],
    ['no language', without('language'), /^language: /],
    ['a number as language', { ...base, language: 7 }, /^language: /],
    ['no code', without('code'), /^code: /],
    ['null as code', { ...base, code: null }, /^code: /],
    ['a list as code', { ...base, code: ['x'] }, /^code: /],
    ['a number as stdin', { ...base, stdin: 7 }, /^stdin: /],
    ['code over 1 MiB', { ...base, code: '#'.repeat(2 ** 20 + 1) }, /^code: .*1048576/],
    ['stdin over 4 MiB', { ...base, stdin: '#'.repeat(2 ** 22 + 1) }, /^stdin: .*4194304/],
    ['env as a list', { ...base, env: [] }, /^env: /],
    ['a number in env', { ...base, env: { SECRET_NAME: 7 } }, /^env: /],
    ['an empty name in env', { ...base, env: { '': 'x' } }, /^env: /],
    ['= in a name of env', { ...base, env: { 'a=b': 'x' } }, /^env: /],
    ['NUL in a name of env', { ...base, env: { 'a\0b': 'x' } }, /^env: /],
    ['NUL in a value of env', { ...base, env: { a: '\0' } }, /^env: /],
    [
      '129 names in env',
      { ...base, env: Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`n${at}`, ''])) },
      /^env: .*128/,
    ],
    [
      'env over 128 KiB',
      { ...base, env: { a: 'x'.repeat(65_000), b: 'x'.repeat(66_071) } },
      /^env: .*131072/,
    ],
    ['a variable that Linux does not take', { ...base, env: { a: 'x'.repeat(131_070) } }, /^env: .*131070/],
    ['a name that hides its value', { ...base, env: { ['__proto__']: 7 } }, /^env: .*__proto__/],
    ['no limits', without('limits'), /^limits: /],
    ['limits null', { ...base, limits: null }, /^limits: /],
    ['no timeout_ms', { ...base, limits: { memory_mb: 64 } }, /^limits\.timeout_ms: /],
    ['no memory_mb', { ...base, limits: { timeout_ms: 1000 } }, /^limits\.memory_mb: /],
  ])('%s', async (_, message, text) => {
    const { id } = message as { id: string };
    const answer = await answerTo(message);
    expect(answer).toMatchObject({ ...refused, id });
    expect(answer.message).toMatch(text);
    expect(answer.message).not.toMatch(/SECRET_NAME/);
  });

  test.each([
    ['timeout_ms', 0],
    ['timeout_ms', 300_001],
    ['timeout_ms', 30_000.5],
    ['timeout_ms', '30000'],
    ['timeout_ms', true],
    ['timeout_ms', -1],
    ['timeout_ms', 1e300],
    ['memory_mb', 0],
    ['memory_mb', 1025],
    ['memory_mb', null],
    ['cpu_shares', 1],
    ['cpu_shares', 262_145],
    ['max_output_bytes', 0],
    ['max_output_bytes', 67_108_865],
  ])('%s: %j', async (name, value) => {
    const answer = await answerTo({ ...base, limits: { ...base.limits, [name]: value } });
    expect(answer).toMatchObject({ ...refused, id: 'x' });
    expect(answer.message).toMatch(new RegExp(`^limits\\.${name}: must be an integer from \\d+ to \\d+$`));
  });

  test.each(['code', 'stdin', 'env'])('a lone surrogate in %s', async (field) => {
    const value = field === 'env' ? { a: 'MARK' } : 'MARK';
    const answer = await answerTo(JSON.stringify({ ...base, [field]: value }).replace('MARK', '\\udc00'));
    expect(answer).toMatchObject({ ...refused, id: 'x' });
    expect(answer.message).toMatch(new RegExp(`^${field}: .*surrogate`));
  });
});

describe('languages', () => {
  test.each(['rust', 'Python', 'js', 'py', 'bash', 'python ', '', 'x'.repeat(1000), '__proto__'])(
    '%s',
    async (language) => {
      const answer = await answerTo({ ...base, language });
      expect(answer).toMatchObject({ code: 'LANGUAGE_NOT_SUPPORTED', id: 'x', retryable: false });
      expect(answer.message!.length).toBeLessThan(200);
    },
  );

  test('shell is bash', async () => {
    expect((await talk.run({ code: `a=(1 2 3); echo \${a[2]} $BASH` })).stdout).toBe('3 /usr/bin/bash\n');
  });
});

describe('the first broken rule is told, in one order', () => {
  const wrong = {
    v: 2,
    type: 'nope',
    ts: 7,
    id: 9,
    language: 'rust',
    code: 7,
    limits: { timeout_ms: 0, memory_mb: 64 },
  };
  const steps: [string, object, RegExp][] = [
    ['v', {}, /^v:/],
    ['type', { v: 1 }, /^type:/],
    ['ts', { type: 'execute' }, /^ts:/],
    ['id', { ts: TS }, /^id:/],
    ['types of fields', { id: 'order' }, /^code:/],
    ['language', { code: '' }, /^language:/],
    ['ranges', { language: 'shell' }, /^limits\.timeout_ms:/],
  ];

  test('step by step', async () => {
    let message: object = wrong;
    for (const [, change, text] of steps) {
      message = { ...message, ...change };
      expect((await answerTo(message)).message).toMatch(text);
    }
  });

  test('the id in use comes before the fields', async () => {
    const id = talk.start({ code: 'sleep 0.5; echo untouched' });
    await talk.running(id);
    const answer = talk.next();
    talk.send({ ...base, id, code: 7 });
    expect(await answer).toMatchObject({ ...refused, id, message: expect.stringMatching(/^id: /) });
    await talk.until((message) => message.id === id && message.type === 'result');
    expect(talk.of(id).some(({ data }) => data === 'untouched\n')).toBe(true);
    expect((await talk.run({ code: 'echo again' })).stdout).toBe('again\n');
  });
});

describe('what is taken', () => {
  test.each<[string, object]>([
    ['1.0 is 1', { text: (text: string) => text.replace('"v":1', '"v":1.0') }],
    [
      'a number with .0',
      { text: (text: string) => text.replace(/"timeout_ms":\d+/, '"timeout_ms":30000.0') },
    ],
    ['an offset in ts', { ts: '2025-12-27T13:30:00+02:00' }],
    ['ts without milliseconds', { ts: '2025-12-27T11:30:00Z' }],
    ['ts of Python', { ts: '2025-12-27T11:30:00.000000+00:00' }],
    ['unknown fields', { priority: 1, limits: { gpus: 3 } }],
    [
      'null for optional fields',
      { stdin: null, env: null, limits: { cpu_shares: null, max_output_bytes: null } },
    ],
    ['the last of duplicate keys', { text: (text: string) => text.replace('{', '{"language":"rust",') }],
    [
      'the highest limits',
      { limits: { timeout_ms: 300_000, memory_mb: 1024, cpu_shares: 262_144, max_output_bytes: 67_108_864 } },
    ],
    ['the lowest shares', { limits: { cpu_shares: 2 } }],
    ['an id of 256 characters', { id: 'é'.repeat(256) }],
    ['an id like a field', { id: '__proto__' }],
  ])(
    '%s',
    async (_, {
      text = (same: string) => same,
      ...change
    }: { text?: (text: string) => string; id?: string }) => {
      const message = execute({ code: 'echo fine', ...change });
      talk.send(text(JSON.stringify(message)));
      expect(await talk.fate(message.id)).toMatchObject({ status: 'completed', stdout: 'fine\n' });
    },
  );

  test('a binary frame with UTF-8 JSON, answered by text frames', async () => {
    const message = execute({ code: 'echo fine' });
    talk.socket.send(Buffer.from(JSON.stringify(message)), { binary: true });
    expect((await talk.fate(message.id)).stdout).toBe('fine\n');
  });

  test('an id again after the end', async () => {
    for (const round of ['first', 'second']) {
      const count = talk.of('again').length;
      talk.send(execute({ id: 'again', code: `echo ${round}` }));
      await talk.until((message) => message.type === 'result' && talk.of('again').indexOf(message) >= count);
      expect(
        talk
          .of('again')
          .slice(count)
          .map(({ data }) => data)
          .join(''),
      ).toBe(`${round}\n`);
    }
  });
});

describe('the program’s world', () => {
  test.each([
    ['python', 'import sys; print(repr(sys.stdin.read()))', "''\n"],
    [
      'javascript',
      "process.stdin.on('data', () => console.log('data')).on('end', () => console.log('end'))",
      'end\n',
    ],
    ['shell', 'cat; test -t 0 || echo end', 'end\n'],
    ['elixir', 'IO.inspect(IO.read(:line))', ':eof\n'],
  ])('%s: no stdin is end of file at once, and no terminal', async (language, code, stdout) => {
    for (const stdin of [undefined, null, '']) {
      expect((await talk.run({ language, code, stdin })).stdout).toBe(stdout);
    }
  });

  test('stdin of 4 MiB, and one that nobody reads', async () => {
    const stdin = 'é'.repeat(2 ** 21);
    expect((await talk.run({ code: 'wc -c', stdin })).stdout.trim()).toBe(String(2 ** 22));
    expect((await talk.run({ code: 'echo ignored', stdin })).status).toBe('completed');
  });

  test('env: a small clean base, the client’s values win, nothing of the server’s', async () => {
    process.env.SBX_TEST_SECRET = 'secret';
    const { stdout } = await talk.run({
      code: 'env',
      env: { HOME: '/elsewhere', EMPTY: '', 'odd name': 'x\ny' },
    });
    expect(stdout).toContain('HOME=/elsewhere\n');
    expect(stdout).toContain('EMPTY=\n');
    expect(stdout).toContain('odd name=x\ny\n');
    expect(stdout).toMatch(/^LANG=.*UTF-8$/m);
    expect(stdout).toMatch(/^PATH=/m);
    expect(stdout).not.toMatch(/SBX_|npm_|VITEST|NODE_/);
  });

  test('the largest code and input fit in a message', async () => {
    const code = 'wc -c #'.padEnd(2 ** 20, 'x');
    expect((await talk.run({ code, stdin: 'é'.repeat(2 * 2 ** 20) })).stdout.trim()).toBe(
      String(4 * 2 ** 20),
    );
  });

  test('128 names and 128 KiB of env', async () => {
    const env = Object.fromEntries(Array.from({ length: 128 }, (_, at) => [`N${at}`, 'x'.repeat(900)]));
    expect((await talk.run({ code: `echo \${#N127}`, env })).stdout).toBe('900\n');
    const one = { A: 'x'.repeat(131_069) };
    expect((await talk.run({ code: `echo \${#A}`, env: one })).stdout).toBe('131069\n');
    const two = { A: 'x'.repeat(65_000), B: 'x'.repeat(66_070) };
    expect((await talk.run({ code: `echo \${#A} \${#B}`, env: two })).stdout).toBe('65000 66070\n');
  });

  test('the folder is fresh and writable, the code is a file, nothing of before is there', async () => {
    const code = 'ls; echo left > behind; echo left > /tmp/behind; ls /tmp';
    for (let round = 0; round < 2; round += 1) {
      expect((await talk.run({ code })).stdout).toBe('main.sh\nbehind\n');
    }
  });

  test('very little memory is allowed: oom or failed', async () => {
    for (const language of ['python', 'javascript', 'shell', 'elixir']) {
      const { status } = await talk.run({ language, code: '', limits: { memory_mb: 1 } });
      expect(['oom', 'failed', 'completed']).toContain(status);
    }
  });

  test('a limit is the limit: memory, processes, no other user’s files', async () => {
    const { stdout } = await talk.run({ code: 'cat /etc/shadow; ls /root /home; id -u' });
    expect(stdout).not.toMatch(/root:/);
    expect(stdout.trim()).not.toBe('0');
  });
});

describe('ping', () => {
  test('without id a pong without id; a text is echoed; what is no text is ignored', async () => {
    for (const id of [undefined, 'p1', 7, null, {}]) {
      const pong = talk.next();
      talk.ping(id);
      const heard = await pong;
      expect(heard).toMatchObject({ v: 1, type: 'pong', load: { active_executions: 0, queue_depth: 0 } });
      if (typeof id === 'string') expect(heard.id).toBe(id);
      else expect(heard).not.toHaveProperty('id');
    }
  });
});

test('every ts is UTC with three decimals, and never goes back', () => {
  const stamps = talk.heard.map(({ ts }) => ts);
  for (const ts of stamps) expect(ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(stamps).toEqual([...stamps].sort());
});
