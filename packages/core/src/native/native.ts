/** The only file that loads the addon. It is loaded at first use, never at import, so that types and pure helpers work anywhere. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errnoName } from '../errno.js';
import { OverloadedError, SbxError, UnsupportedError } from '../errors.js';
import { ownPlatform, type Pair, PREBUILT_PLATFORMS, prebuiltPair } from '../prebuilt.js';
import { PROTOCOL_VERSION } from './tables.js';
import type { Native } from './types.js';

export * from './messages.js';
export { type Cause, FD_CONTENT, FD_HOLD, FD_NULL, FD_OUTPUT, type Stage } from './tables.js';
export * from './types.js';

interface Loaded {
  native: Native;
  helperPath: string;
}

let loaded: Loaded | undefined;

/** Loads the addon once per environment. Throws `UnsupportedError` with everything needed to find out why it cannot. */
export function loadNative(): Loaded {
  loaded ??= load();
  return loaded;
}

function load(): Loaded {
  if (process.platform !== 'linux') {
    throw new UnsupportedError({
      code: 'SBX_UNSUPPORTED_PLATFORM',
      message: `@sbx/core runs programs on Linux only; this is ${process.platform}.`,
      hint: 'The client packages work here: point one at a server on a Linux machine.',
    });
  }
  const platform = ownPlatform();
  const pair = pairOf(platform);
  if (pair === null || !existsSync(pair.addon)) throw noPrebuilt(platform, pair?.addon);
  try {
    const native = createRequire(import.meta.url)(pair.addon) as Native;
    checkBuild(native);
    return { native: withOwnErrors(native), helperPath: pair.helper };
  } catch (cause) {
    throw new UnsupportedError({
      code: 'SBX_NATIVE_UNAVAILABLE',
      message: `The native addon ${pair.addon} does not load on ${platform} (Node ${process.version}): ${(cause as Error).message}.`,
      hint: 'Reinstall @sbx/core; in a checkout run `npm run setup`. `sbx doctor` shows more.',
      details: { platform, path: pair.addon },
      cause,
    });
  }
}

/** Numbers are sent by position, so addon and TypeScript have to be made from the same tables. */
function checkBuild({ protocolVersion }: Native): void {
  if (protocolVersion === PROTOCOL_VERSION) return;
  throw new Error(`it is of another build (tables ${protocolVersion} instead of ${PROTOCOL_VERSION})`);
}

const DESCRIPTORS_RETRY_MS = 100;

/** The error of a host, or of a machine, that has no file descriptor left; `null` when `errno` says something else. */
export function descriptorsError(what: string, errno: number): OverloadedError | null {
  const name = errnoName(errno);
  if (name !== 'EMFILE' && name !== 'ENFILE') return null;
  const message = `The host could not ${what}: it has no file descriptor left (${name}). Close some, raise its limit (\`ulimit -Hn\`, LimitNOFILE=), or lower maxSandboxes.`;
  return new OverloadedError({ message, details: { errno }, retryAfterMs: DESCRIPTORS_RETRY_MS });
}

/** The error of a call that the kernel refused the host; `result` as the addon gives it. */
export function hostError(what: string, result: number): SbxError {
  const errno = -result;
  const message = `The host could not ${what} (errno ${errno}).`;
  return descriptorsError(what, errno) ?? new SbxError({ code: 'SBX_INTERNAL', message, details: { errno } });
}

/** Functions of the addon return error numbers; its constructors cannot, and throw what becomes an error of ours here. */
function withOwnErrors(native: Native): Native {
  const { Channel, Reader, Writer, Relay } = native;
  return {
    ...native,
    Channel: guarded(Channel),
    Reader: guarded(Reader),
    Writer: guarded(Writer),
    Relay: guarded(Relay),
  };
}

function guarded<Made extends new (...args: never[]) => object>(Class: Made): Made {
  return new Proxy(Class, {
    construct(target, args) {
      try {
        return Reflect.construct(target, args);
      } catch (error) {
        const { errno, message } = error as NodeJS.ErrnoException;
        throw errno === undefined ? error : hostError(message, errno);
      }
    },
  });
}

/** A folder that the environment names comes first: of another build, or of a platform that has no pair. */
function pairOf(platform: string): Pair | null {
  const folder = process.env.SBX_NATIVE_PATH;
  if (folder === undefined) return prebuiltPair(platform);
  return { addon: join(folder, 'sbx.node'), helper: join(folder, 'sbx-helper') };
}

function noPrebuilt(platform: string, path?: string): UnsupportedError {
  const looked = path === undefined ? '' : `; looked at ${path}`;
  return new UnsupportedError({
    code: 'SBX_NATIVE_UNAVAILABLE',
    message: `There is no native addon for ${platform}${looked}.`,
    hint: `Prebuilt ones exist for ${PREBUILT_PLATFORMS.join(', ')}; elsewhere build with \`node native/build.mjs\` in a checkout and set SBX_NATIVE_PATH to the folder.`,
    details: { platform, path: path ?? null },
  });
}

/** Works from `src/native/` and from `dist/`, which lie in the package's folder. */
function packageRoot(): string {
  const folder = dirname(dirname(fileURLToPath(import.meta.url)));
  return basename(folder) === 'src' ? dirname(folder) : folder;
}

/** Version of this package, for people. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version as string;
}
