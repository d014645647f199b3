// Bun and Deno: a typed error before the addon loads, since it would end the process there, or never answer.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { foreignModules } from '../helpers/foreign.js';

const RUNTIMES: Record<string, { package: RegExp; path: string; args: string[] }> = {
  bun: { package: /^@oven\/bun-linux-\w+$/, path: 'bin/bun', args: ['run'] },
  deno: { package: /^@deno\/linux-/, path: 'deno', args: ['run', '--allow-all', '--no-lock'] },
};
const program = join(import.meta.dirname, 'open.mjs');
let modules: string;

beforeAll(async () => {
  modules = await foreignModules('runtimes');
}, 120_000);

it.each(Object.entries(RUNTIMES))('%s is refused by name', (runtime, { package: wanted, path, args }) => {
  const scopes = readdirSync(modules).filter((name) => name.startsWith('@'));
  const names = scopes.flatMap((scope) =>
    readdirSync(join(modules, scope)).map((name) => `${scope}/${name}`),
  );
  const file = join(modules, names.find((name) => wanted.test(name))!, path);
  const stdout = execFileSync(file, [...args, program, import.meta.resolve('@sbx/core')], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual({
    name: 'UnsupportedError',
    code: 'SBX_UNSUPPORTED_PLATFORM',
    runtime,
  });
});
