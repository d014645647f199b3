/**
 * Each platform gets its own pair, by the literal path that bundlers' tracers see; another platform gets
 * none.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ownPlatform, PREBUILT_PLATFORMS, platformName, prebuiltPair } from './prebuilt.js';

// Plain JavaScript, hence by a name that the compiler does not follow.
const built: string = '../../../native/prebuilds.mjs';
const { PREBUILDS } = (await import(built)) as { PREBUILDS: readonly { platform: string }[] };

const GLIBC = { glibcVersionRuntime: '2.28' };
const MUSL = {};

describe('the platform', () => {
  it.each([
    ['x64', GLIBC, 'linux-x64-glibc'],
    ['x64', MUSL, 'linux-x64-musl'],
    ['arm64', GLIBC, 'linux-arm64-glibc'],
    ['arm64', MUSL, 'linux-arm64-musl'],
    ['riscv64', MUSL, 'linux-riscv64-musl'],
  ])('of %s with %o is %s', (arch, header, name) => {
    expect(platformName(arch, header)).toBe(name);
  });

  it('of this process has a pair', () => {
    expect(PREBUILT_PLATFORMS).toContain(ownPlatform());
  });
});

describe('the pair', () => {
  const folder = fileURLToPath(new URL('../prebuilds', import.meta.url));

  it.each(PREBUILT_PLATFORMS)('of %s is in its folder', (platform) => {
    expect(prebuiltPair(platform)).toEqual({
      addon: `${folder}/${platform}/sbx.node`,
      helper: `${folder}/${platform}/sbx-helper`,
    });
  });

  it.each(['linux-riscv64-musl', 'darwin-arm64-glibc', 'constructor'])('of %s is none', (platform) => {
    expect(prebuiltPair(platform)).toBeNull();
  });

  it('is there for each platform that a release is built for, and no other', () => {
    expect([...PREBUILT_PLATFORMS].sort()).toEqual(PREBUILDS.map(({ platform }) => platform).sort());
  });

  it.each(PREBUILT_PLATFORMS)(
    'of %s is a literal of the source, and its helper stays executable',
    (platform) => {
      const source = readFileSync(new URL('./prebuilt.ts', import.meta.url), 'utf8');
      const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
      for (const name of ['sbx.node', 'sbx-helper'])
        expect(source).toContain(`pathOf(new URL('../prebuilds/${platform}/${name}', import.meta.url))`);
      expect(manifest.publishConfig.executableFiles).toContain(`./prebuilds/${platform}/sbx-helper`);
    },
  );
});
