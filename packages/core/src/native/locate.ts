/** Where addon and helper are: in the package, wherever its code has been moved to by a bundler. */
import { existsSync } from 'node:fs';
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UnsupportedError } from '../errors.js';
import { type Pair, PREBUILT_PLATFORMS, prebuiltPair } from '../prebuilt.js';

/**
 * A folder that the environment names comes first: of another build, or of a platform that has no pair. Then
 * the package's own, whose literal paths tools that trace files follow; then the package as the running code
 * would find it, for bundles that took the code alone.
 */
export function locatePair(platform: string): Pair {
  const { SBX_NATIVE_PATH: named } = process.env;
  if (named !== undefined)
    return found(pairIn(named)) ?? refuse(`SBX_NATIVE_PATH is ${named}, where none is`, platform, named);
  if (!PREBUILT_PLATFORMS.includes(platform)) {
    const hint = `Prebuilt ones exist for ${PREBUILT_PLATFORMS.join(', ')}; elsewhere build with \`node native/build.mjs\` in a checkout and set SBX_NATIVE_PATH to the folder.`;
    return refuse('none is built for it', platform, null, hint);
  }
  const own = prebuiltPair(platform);
  const installed = installedPackage();
  const pair =
    found(own) ?? (installed === null ? null : found(pairIn(join(installed, 'prebuilds', platform))));
  if (pair !== null) return pair;
  const where = own === null ? 'this code has no address of its own' : `looked at ${own.addon}`;
  return refuse(`${where}, and for an installed package`, platform, own?.addon ?? null);
}

const pairIn = (folder: string): Pair => ({
  addon: join(folder, 'sbx.node'),
  helper: join(folder, 'sbx-helper'),
});

const found = (pair: Pair | null) => (pair !== null && existsSync(pair.addon) ? pair : null);

/**
 * Seen from the code, or from the program's main file; never from the working folder, which may be anybody's.
 * By the default export: webpack takes calls of an imported `createRequire` for its own.
 */
function installedPackage(): string | null {
  const files = [
    ownAddress(),
    process.argv[1] === undefined ? undefined : pathToFileURL(process.argv[1]).href,
  ];
  for (const file of files) {
    if (file === undefined) continue;
    try {
      return dirname(Module.createRequire(file).resolve('@sbx/core/package.json'));
    } catch {
      // Not installed beside it, or no address that can be resolved from: the next one.
    }
  }
  return null;
}

/** Bundles of CommonJS have no `import.meta`, but a file name. */
function ownAddress(): string | undefined {
  if (import.meta.url !== undefined) return import.meta.url;
  return typeof __filename === 'string' ? pathToFileURL(__filename).href : undefined;
}

/** What to do where a bundler has been at work. */
export const BUNDLED =
  'A bundler has left them behind: make @sbx/core external, or copy its folder prebuilds and set SBX_NATIVE_PATH to the one of this platform; docs/bundlers.md. Where none was used, reinstall @sbx/core; in a checkout run `npm run setup`.';

function refuse(why: string, platform: string, path: string | null, hint = BUNDLED): never {
  const message = `There are no addon and helper of @sbx/core for ${platform}: ${why}.`;
  throw new UnsupportedError({ code: 'SBX_NATIVE_UNAVAILABLE', message, hint, details: { platform, path } });
}
