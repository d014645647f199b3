/** The file that mount.yaml puts at `/.env`: variables of every program, before its own. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.js';
import type { ResolvedMountConf } from './mount-conf.js';

const PLACE = /^\/*\.env$/;

/**
 * Read once: sandboxes that stand ready are made with it. Throws `ConfigError` for a line that sets nothing.
 */
export function readDotEnv(conf: ResolvedMountConf | null): string[] {
  const rows = conf?.mount ?? [];
  const row = rows.find(({ type, target }) => type === 'bind' && PLACE.test(target));
  if (row === undefined || !existsSync(resolve(row.source))) return [];
  const lines = readFileSync(resolve(row.source), 'utf8').split('\n');
  const set = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const wrong = set.find((line) => !line.includes('='));
  if (wrong !== undefined) throw new ConfigError(`${row.source}: ${JSON.stringify(wrong)} sets no variable`);
  return set;
}
