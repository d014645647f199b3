/**
 * The only file that loads the addon. It is loaded at first use, never at import, so that types and pure
 * helpers work anywhere.
 */
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errnoName } from '../errno.js';
import { OverloadedError, SbxError, UnsupportedError } from '../errors.js';
import { ownPlatform } from '../prebuilt.js';
import { BUNDLED, locatePair } from './locate.js';
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

const REINSTALL = 'Reinstall @sbx/core; in a checkout run `npm run setup`. `sbx doctor` shows more.';

/**
 * Loads the addon once per environment. Throws `UnsupportedError` with everything needed to find out why it
 * cannot.
 */
export function loadNative(): Loaded {
  loaded ??= load();
  return loaded;
}

/** What reads /proc comes after this. */
export function checkSystem(): void {
  if (process.platform === 'linux') return;
  throw new UnsupportedError({
    code: 'SBX_UNSUPPORTED_PLATFORM',
    message: `@sbx/core runs programs on Linux only; this is ${process.platform}.`,
    hint: 'The client packages work here: point one at a server on a Linux machine.',
  });
}

function load(): Loaded {
  checkSystem();
  refuseOtherRuntimes(process.versions);
  const platform = ownPlatform();
  const pair = locatePair(platform);
  try {
    const native = Module.createRequire(pair.addon)(pair.addon) as Native;
    checkBuild(native);
    return { native: withOwnErrors(native), helperPath: pair.helper };
  } catch (cause) {
    throw new UnsupportedError({
      code: 'SBX_NATIVE_UNAVAILABLE',
      message: `The native addon ${pair.addon} does not load on ${platform} (Node ${process.version}): ${(cause as Error).message}.`,
      hint: basename(pair.addon) === 'sbx.node' ? REINSTALL : BUNDLED, // bundlers rename what they copy
      details: { platform, path: pair.addon },
      cause,
    });
  }
}

/**
 * Bun and Deno load addons, but their loops are not libuv's: one ends the process at the first channel, the
 * other never says that one is readable.
 */
function refuseOtherRuntimes({ bun, deno }: NodeJS.ProcessVersions): void {
  const runtime = bun !== undefined ? 'bun' : deno !== undefined ? 'deno' : null;
  if (runtime === null) return;
  const name = runtime === 'bun' ? `Bun ${bun}` : `Deno ${deno}`;
  throw new UnsupportedError({
    code: 'SBX_UNSUPPORTED_PLATFORM',
    message: `@sbx/core runs on Node.js; this is ${name}, which has no event loop of libuv for its addon.`,
    hint: 'Start a server with Node (sbx-gojudge, sbx serve fathom) and use a client package here, or run this program with Node.',
    details: { runtime },
  });
}

/** Numbers are sent by position, so addon and TypeScript have to be made from the same tables. */
function checkBuild({ protocolVersion }: Native): void {
  if (protocolVersion === PROTOCOL_VERSION) return;
  throw new Error(`it is of another build (tables ${protocolVersion} instead of ${PROTOCOL_VERSION})`);
}

const DESCRIPTORS_RETRY_MS = 100;

/**
 * The error of a host, or of a machine, that has no file descriptor left; `null` when `errno` says something
 * else.
 */
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

/**
 * Functions of the addon return error numbers; its constructors cannot, and throw what becomes an error of
 * ours here.
 */
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

/** Works from `src/native/` and from `dist/`, which lie in the package's folder. */
function packageRoot(): string {
  const folder = dirname(dirname(fileURLToPath(import.meta.url)));
  return basename(folder) === 'src' ? dirname(folder) : folder;
}

/** Set by the build, so that a bundle, which has no package.json beside it, knows it too. */
declare const SBX_CORE_VERSION: string | undefined;

/** Version of this package, for people. */
export function packageVersion(): string {
  if (typeof SBX_CORE_VERSION === 'string') return SBX_CORE_VERSION;
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version as string;
}
