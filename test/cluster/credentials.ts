/** Credentials files of users that a broker knows by their keys. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../tidy/sources.js';

const { nkeys } = createRequire(join(root, 'packages/cluster/package.json'))('@nats-io/transport-node');

/** Those of a new user; returns its public key, for the server's configuration. */
export function writeCredentials(file: string): string {
  const pair = nkeys.createUser();
  const seed = Buffer.from(pair.getSeed()).toString();
  const part = (kind: string, text: string) => `-----BEGIN ${kind}-----\n${text}\n------END ${kind}------\n`;
  // The server takes the key, and looks at no JWT where it has no operator.
  writeFileSync(file, part('NATS USER JWT', 'none') + part('USER NKEY SEED', seed));
  return pair.getPublicKey();
}
