import { describe, expect, it } from 'vitest';
import { decodeRequest } from './request.js';

const decode = (text: string | Uint8Array) => decodeRequest(Buffer.from(text as string));
const failure = (text: string | Uint8Array): string => {
  try {
    decode(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('syntax errors in the words of Go', () => {
  it.each([
    ['', 'EOF'],
    [' \n\t', 'EOF'],
    ['{"cmd"', 'unexpected EOF'],
    ['{"cmd":[', 'unexpected EOF'],
    ['{"a":"x', 'unexpected EOF'],
    ['[1,', 'unexpected EOF'],
    ['hello', "invalid character 'h' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['{a}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[trux]', "invalid character 'x' in literal true (expecting 'e')"],
    ['[-]', "invalid character ']' in numeric literal"],
    ['[1.]', "invalid character ']' after decimal point in numeric literal"],
    ['[1e]', "invalid character ']' in exponent of numeric literal"],
    ['["a\nb"]', "invalid character '\\n' in string literal"],
    ['["\\x"]', "invalid character 'x' in string escape code"],
    ['["\\u12g4"]', "invalid character 'g' in \\u hexadecimal character escape"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    [`{"x":${'['.repeat(10_001)}`, "invalid character '[' exceeded max depth"],
  ])('%j', (text, message) => {
    expect(failure(text)).toBe(message);
  });

  it('reads so many values and no more: each costs thirty times what it takes on the wire', () => {
    const many = (count: number) => `{"x":[${'1,'.repeat(count)}1]}`;
    expect(failure(many(262_141))).toBe('no error');
    expect(failure(many(262_142))).toBe('more than 262144 values');
  });

  it('puts a syntax error anywhere before a wrong type', () => {
    expect(failure('{"cmd":1,}')).toMatch(/^invalid character/);
  });
});

describe('type errors in the words of Go', () => {
  const field = (what: string, path: string, type: string) =>
    `json: cannot unmarshal ${what} into Go struct field ${path} of type ${type}`;
  it.each([
    ['{"cmd":[{"cpuLimit":"1"}]}', field('string', 'Cmd.cmd.cpuLimit', 'uint64')],
    ['{"cmd":[{"cpuLimit":-1}]}', field('number -1', 'Cmd.cmd.cpuLimit', 'uint64')],
    ['{"cmd":[{"cpuLimit":1e9}]}', field('number 1e9', 'Cmd.cmd.cpuLimit', 'uint64')],
    ['{"cmd":[{"cpuLimit":1.5}]}', field('number 1.5', 'Cmd.cmd.cpuLimit', 'uint64')],
    [
      '{"cmd":[{"cpuLimit":18446744073709551616}]}',
      field('number 18446744073709551616', 'Cmd.cmd.cpuLimit', 'uint64'),
    ],
    ['{"cmd":[{"files":[{"content":{}}]}]}', field('object', 'CmdFile.cmd.files.content', 'string')],
    ['{"cmd":[{"copyIn":{"a":{"content":[]}}}]}', field('array', 'CmdFile.cmd.copyIn.content', 'string')],
    ['{"cmd":[{"copyIn":{"a":1}}]}', field('number', 'Cmd.cmd.copyIn', 'model.CmdFile')],
    ['{"cmd":[{"args":[1]}]}', field('number', 'Cmd.cmd.args', 'string')],
    ['{"cmd":[{"args":"x"}]}', field('string', 'Cmd.cmd.args', '[]string')],
    ['{"cmd":[{"files":[1]}]}', field('number', 'Cmd.cmd.files', 'model.CmdFile')],
    ['{"cmd":[{"files":{}}]}', field('object', 'Cmd.cmd.files', '[]*model.CmdFile')],
    ['{"cmd":{}}', field('object', 'Request.cmd', '[]model.Cmd')],
    ['{"cmd":[1]}', field('number', 'Request.cmd', 'model.Cmd')],
    ['{"pipeMapping":[{"in":1}]}', field('number', 'PipeMap.pipeMapping.in', 'model.PipeIndex')],
    ['{"pipeMapping":[{"in":{"fd":"a"}}]}', field('string', 'PipeIndex.pipeMapping.in.fd', 'int')],
    ['{"cmd":[{"tty":1}]}', field('number', 'Cmd.cmd.tty', 'bool')],
    ['[]', 'json: cannot unmarshal array into Go value of type model.Request'],
    ['"x"', 'json: cannot unmarshal string into Go value of type model.Request'],
  ])('%s', (text, message) => {
    expect(failure(text)).toBe(message);
  });
});

describe('what Go takes', () => {
  it('takes names in any letter case, the Kelvin sign included', () => {
    expect(decode('{"CMD":[{"ARGS":["a"],"CpuLimit":5,"cloc\u212aLimit":6}]}').cmd).toEqual([
      { args: ['a'], cpuLimit: 5, clockLimit: 6 },
    ]);
  });

  it('ignores what follows the first value, and unknown fields', () => {
    expect(decode('{"cmd":[],"x":[{}]} trailing').cmd).toEqual([]);
  });

  it('merges arrays and objects of duplicate keys', () => {
    expect(decode('{"cmd":[{"args":["a","b"],"tty":true},{"tty":true}],"Cmd":[{"args":["c"]}]}').cmd).toEqual(
      [{ args: ['c'], tty: true }],
    );
  });

  it('unites copyIn maps and replaces entries whole', () => {
    const text = '{"cmd":[{"copyIn":{"a":{"src":"x"},"b":{"src":"y"}},"copyIn":{"a":{"content":"z"}}}]}';
    expect([...decode(text).cmd![0]!.copyIn!]).toEqual([
      ['a', { content: 'z' }],
      ['b', { src: 'y' }],
    ]);
  });

  it('reads null as absent, and after a value keeps scalars and clears the rest', () => {
    expect(decode('{"cmd":[{"cpuLimit":5,"cpuLimit":null,"args":["a"],"args":null}]}').cmd).toEqual([
      { cpuLimit: 5, args: undefined },
    ]);
    expect(decode('{"cmd":[{"files":[{"src":"x","src":null,"content":"y"}]}]}').cmd![0]!.files).toEqual([
      { src: undefined, content: 'y' },
    ]);
  });

  it('reads null items as zero values, and keeps them in files', () => {
    expect(decode('{"cmd":[null,{"args":[null],"files":[null]}]}').cmd).toEqual([
      {},
      { args: [''], files: [null] },
    ]);
  });

  it('clamps numbers past 2^53', () => {
    expect(decode('{"cmd":[{"cpuLimit":18446744073709551615}]}').cmd![0]!.cpuLimit).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });

  it('replaces each invalid byte and each lone surrogate', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"requestId":"'),
      Buffer.from([0xe4, 0xb8]),
      Buffer.from('\\ud800"}'),
    ]);
    expect(decode(bytes).requestId).toBe('\ufffd\ufffd\ufffd');
  });

  it.each<[string, number[], string]>([
    ['a byte that begins no value', [0xe4], "'ä' looking for beginning of value"],
    ['the first of two', [0x5b, 0x31, 0xff, 0xfe], "'ÿ' after array element"],
    ['one that no text shows', [0x80], "'\\u0080' looking for beginning of value"],
    ['another behind it in a string', [0x5b, 0x22, 0xff, 0x22, 0x78], "'x' after array element"],
  ])('names the byte itself: %s', (_what, bytes, error) => {
    expect(() => decode(Buffer.from(bytes))).toThrow(`invalid character ${error}`);
  });

  it('keeps keys of copyIn as they are, __proto__ included', () => {
    const names = [
      ...decode('{"cmd":[{"copyIn":{"__proto__":{"src":"a"},"SRC":{"src":"b"}}}]}').cmd![0]!.copyIn!.keys(),
    ];
    expect(names).toEqual(['__proto__', 'SRC']);
  });
});

it('what is no UTF-8 becomes text of its own size', () => {
  const before = process.memoryUsage().heapUsed;
  const bytes = Buffer.concat([
    Buffer.from('{"requestId":"'),
    Buffer.alloc(4 * 2 ** 20, 0xff),
    Buffer.from('"}'),
  ]);
  const { requestId } = decodeRequest(bytes);
  const grown = process.memoryUsage().heapUsed - before;
  expect(requestId!.length).toBe(4 * 2 ** 20);
  expect(grown).toBeLessThan(64 * 2 ** 20);
});
