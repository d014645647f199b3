/** The one engine behind all protocols. */
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { minimalRoot, TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import type { ResolvedOptions } from './options.js';

/** Streams, sessions and interpreters that wait come on top of the one-shot runs. */
const SANDBOXES_MAX = 1024;
const READY_MAX = 16;
/** As of Fathom. */
const MINIMAL_LANGUAGES = ['python', 'javascript', 'shell', 'elixir'];

export function openEngine({ parallelism, root, require, fathom }: ResolvedOptions): Promise<Engine> {
  const isHost = root === 'host';
  return Engine.open({
    parallelism,
    maxSandboxes: SANDBOXES_MAX,
    readyCount: Math.min(Math.max(parallelism, fathom.parallelism ?? 0), READY_MAX),
    mounts: [...(isHost ? DEFAULT_MOUNTS : []), ...TOLD_MEMORY_MOUNTS],
    root: isHost ? root : minimalRoot(fathom.languages ?? MINIMAL_LANGUAGES),
    ...(require === undefined ? {} : { require }),
  });
}
