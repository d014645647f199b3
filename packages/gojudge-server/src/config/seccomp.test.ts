import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSeccompConf } from './files.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-seccomp-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = async (text: string) => {
  const path = join(folder, 'seccomp.yaml');
  writeFileSync(path, text);
  return (await readSeccompConf(path)).conf;
};

describe('seccomp.yaml', () => {
  it('is none when there is no file', async () =>
    expect((await readSeccompConf(join(folder, 'none'))).conf).toBeNull());

  it('becomes rules in its order, numbers of 64 bits kept', async () => {
    const policy = await read(`
default_action: errno
syscalls:
  - action: allow
    names: [read, write]
    names_with_args:
      - name: personality
        arguments:
          - {argument: 0, operation: Equal, value: 0xffffffffffffffff}
          - {argument: 5, operation: BitsNotSet, value: 3}
  - {action: kill_process, names: [mkdir]}
`);
    expect(policy).toEqual({
      defaultAction: 'errno',
      rules: [
        { names: ['read', 'write'], action: 'allow' },
        {
          names: ['personality'],
          action: 'allow',
          args: [
            { index: 0, op: 'eq', value: 2n ** 64n - 1n },
            { index: 5, op: 'bits-not-set', value: 3n },
          ],
        },
        { names: ['mkdir'], action: 'kill-process' },
      ],
    });
  });

  it.each([
    [
      'an unknown action',
      'default_action: shout\nsyscalls: [{action: allow, names: [read]}]',
      /default_action/,
    ],
    ['no groups', 'default_action: allow\nsyscalls: []', /syscalls/],
    [
      'an argument that no call has',
      'default_action: allow\nsyscalls: [{action: allow, names_with_args: [{name: read, arguments: [{argument: 6, operation: Equal, value: 1}]}]}]',
      /argument/,
    ],
    [
      'an unknown key of a group',
      'default_action: allow\nsyscalls: [{action: errno, names: [read], name: [mkdir]}]',
      /Unrecognized key: "name"/,
    ],
    [
      'a rule whose condition is misspelt',
      'default_action: allow\nsyscalls: [{action: errno, names_with_args: [{name: read, argument: []}]}]',
      /Unrecognized key: "argument"/,
    ],
    ['no YAML', '{', /seccomp\.yaml/],
  ])('%s is refused', async (_what, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
