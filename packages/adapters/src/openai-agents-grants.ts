/**
 * `extraPathGrants` of manifests: folders of the host. Local entries may come from them, now or later. What
 * commands see of the host is what the engine mounts, and never what a manifest says: a grant that promises
 * more is refused.
 */
import { isAbsolute, relative, resolve } from 'node:path';
import type { Sandbox } from '@sbx/core';
import { type Errors, unsupported } from './openai-agents-faults.js';
import type { OpenAIAgentsEntry, OpenAIAgentsManifest } from './openai-agents-types.js';

export type Grants = OpenAIAgentsManifest['extraPathGrants'];

/** A letter for each path: commands can write there, only read, or it is not there. */
const LOOK = 'for it; do if [ -w "$it" ]; then echo w; elif [ -e "$it" ]; then echo r; else echo; fi; done';

export function isGranted(grants: Grants, path: string): boolean {
  return [process.cwd(), ...grants.map((grant) => grant.path)].some((root) => isWithin(root, path));
}

/** Another name than the host's: refused before anything is done. */
export function checkHostPaths(errors: Errors, grants: Grants): void {
  for (const { path, hostPath = path } of grants) {
    if (hostPath === path) continue;
    const mount = `{ kind: 'bind', source: '${hostPath}', target: '${path}' }`;
    const why = `"${path}" is the same folder inside and on the host. Leave hostPath out, and mount it: ${mount} in engineOptions.mounts.`;
    unsupported(errors, 'manifest.extraPathGrants.hostPath', why, { path });
  }
}

/** Refuses what a look into the sandbox does not bear out. */
export async function checkSeen(
  errors: Errors,
  sandbox: Sandbox,
  { extraPathGrants: grants, entries }: OpenAIAgentsManifest,
): Promise<void> {
  if (grants.length === 0) return;
  const { stdout } = await sandbox.run('/bin/sh', ['-c', LOOK, 'sh', ...grants.map(({ path }) => path)]);
  const seen = stdout.text().split('\n');
  const sources = Object.values(entries).flatMap(sourcesOf);
  for (const [i, { path, readOnly = false }] of grants.entries()) {
    if (seen[i] === 'w' && readOnly) {
      const why = `commands can write to "${path}". Leave readOnly out, or mount the folder without writable.`;
      unsupported(errors, 'manifest.extraPathGrants.readOnly', why, { path });
    }
    if (seen[i] === '' && !readOnly && !sources.some((source) => isWithin(path, source))) {
      const mount = `{ kind: 'bind', source: '${path}' } in engineOptions.mounts`;
      const why = `commands do not see "${path}". Mount it: ${mount}; or give it readOnly: true where only local entries and skills come from it.`;
      unsupported(errors, 'manifest.extraPathGrants', why, { path });
    }
  }
}

function sourcesOf({ src, children = {} }: OpenAIAgentsEntry): string[] {
  return [...(src === undefined ? [] : [resolve(src)]), ...Object.values(children).flatMap(sourcesOf)];
}

function isWithin(root: string, path: string): boolean {
  const below = relative(resolve(root), path);
  return below !== '..' && !below.startsWith('../') && !isAbsolute(below);
}
