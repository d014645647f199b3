/**
 * What entries need of the machine and of us. Their expectations rest on guarantees that an ordinary user
 * without a delegated cgroup does not have (docs/security.md, "As an ordinary user"); `degraded` says so in
 * every result.
 */
import { Engine } from '@sbx/core';

const NEEDS = {
  'cpu-accounting': [75, 81, 82, 83, 84, 89, 90, 91, 92, 93, 103],
  'memory-limit': [56, 57, 58, 59, 61, 62, 64, 65, 66, 78, 80, 99, 150, 155],
  'distinct-users': [45, 68],
};

/** The harness mounts something on the host, or makes files that only root may read. */
const BY_ROOT = [9, 12, 39, 118, 158];

/** What an engine has here, by name. */
export async function probeFeatures() {
  const engine = await Engine.open({ require: [] });
  const { features } = engine.info();
  await engine.close();
  return features;
}

/** Why an entry cannot be tried here, or `null`. */
export function missingFor({ id }, { features }) {
  if (BY_ROOT.includes(id) && process.getuid() !== 0) return 'only root can set the scene';
  const missing = Object.keys(NEEDS).filter((name) => NEEDS[name].includes(id) && !features[name].available);
  return missing.length === 0
    ? null
    : missing.map((name) => `no ${name}: ${features[name].reason}`).join(', ');
}
