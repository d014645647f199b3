// What a client sends decides what its program sees, never whether the interpreter is found.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Talk, useServer } from './server.js';

const served = useServer({ standby: { python: 1 } });
let talk: Talk;
beforeAll(async () => {
  await served.server.ready();
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

const PRINT_PATH: [string, string][] = [
  ['python', 'import os; print(os.environ.get("PATH"))'],
  ['javascript', 'console.log(process.env.PATH)'],
  ['shell', 'echo "$PATH"'],
  ['elixir', 'IO.puts(System.get_env("PATH"))'],
];
const PATHS = ['/nonexistent', '', '.', '/tmp:/dev/null', 'nul/or such'];

describe('PATH of the client', () => {
  test.each(PRINT_PATH.flatMap(([language, code]) => PATHS.map((path) => [language, path, code] as const)))(
    '%s starts with %j',
    async (language, path, code) => {
      for (let round = 0; round < 2; round += 1) {
        const { sequence, stdout, error } = await talk.run({ language, code, env: { PATH: path } });
        expect({ sequence, error }).toEqual({
          sequence: 'ack running stdout completed result',
          error: undefined,
        });
        // Erlang puts folders of its own before it, and `elixir` is a script that needs those behind it.
        if (language === 'elixir') expect(stdout).toContain(path);
        else expect(stdout).toBe(`${path}\n`);
      }
    },
  );

  test('a program of the client’s is not taken for the interpreter', async () => {
    const env = { PATH: '/tmp:/w', BASH_ENV: '' };
    const code = 'import sys; print(sys.executable)';
    expect((await talk.run({ language: 'python', code, env })).stdout).toMatch(
      /^\/usr\/(local\/)?bin\/python3/,
    );
  });
});
