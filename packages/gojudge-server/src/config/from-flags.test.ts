import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseOptions } from '../options.js';
import { readFlags } from './flags.js';
import { commandFrom, toldOfFlags } from './from-flags.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-from-flags-'));
afterAll(() => rmSync(folder, { recursive: true }));

const command = (...args: string[]) => commandFrom(readFlags(args, {}) as Map<string, string>, false);
const mountConf = (text: string) => {
  const path = join(folder, 'm.yaml');
  writeFileSync(path, text);
  return path;
};

test('a configuration file that a flag names and that is not there is told of', async () => {
  const [mount, seccomp] = [join(folder, 'none.yaml'), join(folder, 'no.yaml')];
  const { warnings, configFiles } = await command('-mount-conf', mount, '-seccomp-conf', seccomp);
  expect(warnings).toEqual([
    `-mount-conf: there is no file ${mount}; the built-in mounts are used`,
    `-seccomp-conf: there is no file ${seccomp}; the built-in filter is used alone`,
  ]);
  expect(configFiles).toEqual([]);
  expect((await command()).warnings).toEqual([]);
  expect((await command('-mount-conf=')).warnings).toEqual([]);
});

test('one that was read is told of, with the rows that are left out and the keys that mean nothing', async () => {
  const path = mountConf(
    'mount:\n  - {type: bind, source: /usr, target: /usr}\n  - {type: bind, source: /nope, target: /n}\nfoo: 1\n',
  );
  const { warnings, configFiles } = await command('-mount-conf', path);
  expect(configFiles).toEqual([{ flag: 'mount-conf', path }]);
  expect(warnings).toEqual([
    expect.stringContaining(`${path}: foo is not a known key and is ignored`),
    `${path}: left out, since the source is not on this machine: mount[1] "/nope"`,
  ]);
});

test.each([
  ['mount: [{target: /w}]', 'mount[0].type must be bind or tmpfs; got none'],
  ['mount: [{type: tmpfs, target: /w}, {type: Bind}]', "mount[1].type must be bind or tmpfs; got 'Bind'"],
  ['mount: [{type: {}}]', 'mount[0].type must be bind or tmpfs; got {}'],
])('%s is refused by its place', async (text, message) => {
  const path = mountConf(text);
  await expect(command('-mount-conf', path)).rejects.toThrow(`${path}: ${message}`);
});

test.each([
  [['-open-file-limit', '2'], '-open-file-limit must be at least 4; got the number 2.'],
  [['-allow-origin', 'http://a,http://b/'], '-allow-origin must be an origin as browsers send it'],
])('what is wrong with the option of %j is told of the flag', async (args, told) => {
  const { options } = await command(...args);
  const message = await Promise.resolve(options)
    .then(parseOptions)
    .catch((error) => error.message);
  expect(message).toMatch(/^options\./);
  expect(toldOfFlags(message)).toContain(told);
  expect(toldOfFlags(message)).toMatch(/^-/);
});

test('other messages stay as they are', () => {
  for (const message of ['a port in use: options.port', 'options.none is no option.'])
    expect(toldOfFlags(message)).toBe(message);
});
