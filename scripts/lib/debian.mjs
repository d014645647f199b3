// Packages of a Debian that is not the one of this machine: fetched and unpacked, never installed. apt checks
// the signatures, with its state in a folder of its own.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from './run.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Unpacks `packages` of a release (`trixie`) for an architecture, in Debian's words (`arm64`), into `folder`.
 */
export async function unpackDebian(folder, { suite, arch, packages }) {
  const state = mkdtempSync(join(tmpdir(), 'sbx-apt-'));
  try {
    mkdirSync(join(state, 'lists/partial'), { recursive: true });
    mkdirSync(join(state, 'cache/archives/partial'), { recursive: true });
    writeFileSync(join(state, 'status'), '');
    writeFileSync(
      join(state, 'sources.list'),
      `deb [arch=${arch} signed-by=${KEYS}] ${MIRROR} ${suite} main\n`,
    );
    const settings = {
      'Dir::State': state,
      'Dir::State::status': join(state, 'status'),
      'Dir::Cache': join(state, 'cache'),
      'Dir::Etc::sourcelist': join(state, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'APT::Architecture': arch,
      'APT::Architectures': arch,
      'APT::Sandbox::User': 'root',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await runQuietly('apt-get', [...options, 'update', '-qq']);
    await runQuietly('apt-get', [...options, 'download', '-qq', ...packages], { cwd: state });
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(state).filter((file) => file.endsWith('.deb')))
      await runQuietly('dpkg-deb', ['-x', join(state, name), folder]);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
