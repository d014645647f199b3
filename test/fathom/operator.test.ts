// What somebody who starts a server is told, and may set.
import { createFathomServer } from '@sbx/fathom-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Talk, useServer } from './server.js';

const served = useServer({ network: 'loopback', limits: { openFileCount: 32, fileBytes: 4096 } });
let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

/** One that no machine has. */
const absent = {
  name: 'klingon',
  title: 'Klingon',
  fileName: 'main.kl',
  run: { file: 'no-such-klingon', args: ['{source}'] },
  debianPackage: 'klingon-utils',
};

describe('a language that is not installed', () => {
  test('is a warning with the fix, and the others are on offer', async () => {
    const warnings: [object, string][] = [];
    const silent = () => undefined;
    const warn = (fields: object, message: string) => void warnings.push([fields, message]);
    const logger = { debug: silent, info: silent, error: silent, warn };
    const languages = ['shell', absent];
    const options = { port: 0, standby: {}, engine: served.server.engine, languages, logger };
    await using server = await createFathomServer(options);
    expect(server.languages).toEqual(['shell']);
    expect(warnings.map(([, message]) => message)).toEqual([
      expect.stringMatching(/klingon is not on offer: .*apt-get install klingon-utils/),
    ]);
    const [url] = (await server.listen()).urls;
    const other = await Talk.open(url!);
    const { error } = await other.run({ language: 'klingon' });
    expect(error).toMatchObject({ code: 'LANGUAGE_NOT_SUPPORTED' });
    expect(error!.message).toContain("Language 'klingon' is not available in this sandbox");
    await other.close();
  });

  test('with none left the server refuses to start, and says how to mend it', async () => {
    const options = { port: 0, standby: {}, engine: served.server.engine, languages: [absent] };
    await expect(createFathomServer(options)).rejects.toMatchObject({
      code: 'SBX_INVALID_OPTIONS',
      field: 'options.languages',
      hint: expect.stringContaining('apt-get install klingon-utils'),
    });
  });
});

test('an option that is none is refused with the one that was meant, also within limits', async () => {
  const engine = served.server.engine;
  for (const [options, meant] of [
    [{ tokn: 'secret' }, /options\.tokn .*Did you mean token\?/],
    [{ limits: { openFilesCount: 9 } }, /options\.limits\.openFilesCount .*Did you mean openFileCount\?/],
  ] as const)
    await expect(createFathomServer({ port: 0, engine, ...options } as object)).rejects.toThrow(meant);
});

test('a name that is none is not repeated', async () => {
  const { error } = await talk.run({ language: '\u001b[31mred' });
  expect(error!.message).toMatch(/Language of that name is not available/);
});

describe('beside the limits of the client', () => {
  test('descriptors and file size are the operator’s', async () => {
    const { stdout } = await talk.run({ code: 'ulimit -n; ulimit -f' });
    expect(stdout).toBe('32\n4\n');
  });

  test('loopback inside reaches the program itself, and nothing else', async () => {
    const code = `import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b"hi")
print(client.recv(2))
try: socket.create_connection(("192.0.2.1", 80), 2)
except OSError as error: print("closed")`;
    expect((await talk.run({ language: 'python', code })).stdout).toBe("b'hi'\nclosed\n");
  });
});
