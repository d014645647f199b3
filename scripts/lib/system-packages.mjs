// Debian packages that the tests need. A probe is a path, because sandboxes see the host's /usr and nothing
// of a version manager's folders: a compiler in a home folder or in /opt does not count.
import { existsSync } from 'node:fs';
import { CommandError, runQuietly } from './run.mjs';

export const SYSTEM_PACKAGES = [
  { package: 'g++', probes: ['/usr/bin/g++'], why: 'C++ under test, and the native code' },
  { package: 'gcc', probes: ['/usr/bin/gcc'], why: 'C under test' },
  { package: 'python3', probes: ['/usr/bin/python3'], why: 'Python under test' },
  {
    package: 'python3-venv',
    probes: ['/usr/share/doc/python3-venv/copyright'],
    why: "LangChain's tests of a sandbox",
  },
  {
    package: 'nodejs',
    probes: ['/usr/bin/node', '/usr/local/bin/node'],
    why: 'JavaScript and TypeScript under test',
  },
  { package: 'bash', probes: ['/usr/bin/bash'], why: 'shell under test' },
  { package: 'coreutils', probes: ['/usr/bin/env'], why: 'the programs of many tests' },
  { package: 'bubblewrap', probes: ['/usr/bin/bwrap'], why: 'the sandbox that ours is compared with' },
  { package: 'chromium', probes: ['/usr/bin/chromium'], why: 'the console in a browser' },
  { package: 'elixir', probes: ['/usr/bin/elixir'], why: 'Elixir under test' },
  { package: 'golang-go', probes: ['/usr/bin/go'], why: 'Go under test' },
  { package: 'rustc', probes: ['/usr/bin/rustc'], why: 'Rust under test' },
  {
    package: 'default-jdk-headless',
    probes: ['/usr/bin/javac', '/usr/bin/java'],
    all: true,
    why: 'Java under test',
  },
];

const isThere = ({ probes, all }) => (all ? probes.every(existsSync) : probes.some(existsSync));

export function missingPackages(table = SYSTEM_PACKAGES) {
  return table.filter((row) => !isThere(row));
}

const APT_GET = '/usr/bin/apt-get';

async function install(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly(APT_GET, ['update'], { env });
  const options = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  await runQuietly(APT_GET, ['install', ...options, ...names], { env });
}

/**
 * Installs what is missing when it may. Returns the rows still missing after that, having said how to get
 * them.
 */
export async function provideSystemPackages(table = SYSTEM_PACKAGES) {
  const missing = missingPackages(table);
  if (missing.length === 0) return [];
  const names = missing.map((row) => row.package);
  if (process.getuid() === 0 && existsSync(APT_GET)) {
    console.error(`test: installing ${names.join(' ')} …`);
    try {
      await install(names);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      console.error(error.output);
    }
  }
  const still = missingPackages(missing);
  if (still.length > 0) explain(still);
  return still;
}

function explain(rows) {
  console.error('test: missing on this machine:');
  for (const { package: name, probes, why } of rows)
    console.error(`  ${name.padEnd(22)} ${why} (${probes.join(', ')})`);
  console.error(`Install: sudo apt-get install ${rows.map((row) => row.package).join(' ')}`);
}
