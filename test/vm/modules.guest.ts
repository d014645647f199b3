// What programs make the kernel load modules for; only in a guest, whose loader is nobody else's.
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';

const sbx = useEngine();
const folder = mkdtempSync(join(tmpdir(), 'sbx-test-modules-'));
const loader = join(folder, 'loader');
const log = join(folder, 'log');

/** Of the kernel. */
const LOADER = '/proc/sys/kernel/modprobe';
/** From this on it looks for no modules for formats of files. */
const [KNOWN_MAJOR, KNOWN_MINOR] = [6, 14];
/** Not to be printed, or the kernel takes it for a text. */
const EXECUTE = String.raw`printf '\001\002\003\004' > /tmp/odd; chmod +x /tmp/odd; exec /tmp/odd`;

beforeAll(() => {
  writeFileSync(loader, `#!/bin/sh\necho "$*" >> ${log}\nexit 1\n`);
  chmodSync(loader, 0o755);
});
beforeEach(() => {
  writeFileSync(log, '');
  writeFileSync(LOADER, loader);
});

const asked = () => readFileSync(log, 'utf8').split('\n').filter(Boolean);

it.each([undefined, 'loopback' as const])(
  'none for sockets, their requests and options, and terminals, network: %s',
  async (network) => {
    const limits = { wallTimeMs: 60_000, cpuTimeMs: null };
    const result = await sbx.engine.run(t('want-modules'), [], { limits, network });
    expect(result).toMatchObject({ status: 'ok' });
    expect(asked()).toEqual([]);
  },
);

it('one for a file of an unknown format, on older kernels, and none where there is no loader', async () => {
  const [major, minor] = release().split('.').map(Number);
  const isKnown = major! > KNOWN_MAJOR || (major === KNOWN_MAJOR && minor! >= KNOWN_MINOR);
  await sbx.engine.run('/bin/sh', ['-c', EXECUTE]);
  expect(asked()).toEqual(isKnown ? [] : ['-q -- binfmt-0403']);
  writeFileSync(LOADER, '\n');
  writeFileSync(log, '');
  await sbx.engine.run('/bin/sh', ['-c', EXECUTE]);
  expect(asked()).toEqual([]);
});
