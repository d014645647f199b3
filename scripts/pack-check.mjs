// `npm run pack:check`: what we would publish works for those who install it. Packs every package, looks at
// the tarballs, installs them in an empty folder without install scripts and without a compiler, and runs the
// README's first program and `sbx doctor` from there on several versions of Node.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PREBUILDS } from '../native/prebuilds.mjs';
import { makeBarePath } from './lib/bare-path.mjs';
import { NODE_VERSIONS, nodeBinary } from './lib/nodes.mjs';
import { PAGES, REPOSITORY } from './lib/pack-docs.mjs';
import { packagesInBuildOrder, root, tool } from './lib/paths.mjs';
import { pnpmQuietly } from './lib/pnpm.mjs';
import { makePrebuilds } from './lib/prebuilds.mjs';
import { checkAddon, checkHelper } from './lib/prebuilt-checks.mjs';
import { CommandError, runQuietly } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';

/**
 * Packages with a budget: how many packages an install brings, and how much it weighs unpacked: core with
 * four pairs of 0.47 MB.
 */
const BUDGETS = { '@sbx/core': { packages: 3, bytes: 4e6 } };

const counts = { passed: 0, failed: 0 };

async function check(name, work) {
  try {
    const note = await work();
    counts.passed += 1;
    console.log(`ok    ${name}${note ? `: ${note}` : ''}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAIL  ${name}: ${error.message}`);
    if (error instanceof CommandError) console.log(error.output);
  }
}

function expect(holds, message) {
  if (!holds) throw new Error(message);
}

async function pack(folder, { folder: source, manifest }) {
  await pnpmQuietly(['pack', '--pack-destination', folder], { cwd: join(root, source) });
  const name = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
  return { manifest, tarball: join(folder, name), folder: source };
}

/** What people look for who have nothing but the package. */
async function checkContents({ manifest, tarball, folder }) {
  const { name } = manifest;
  await check(`${name} contents`, async () => {
    const names = (await runQuietly('tar', ['-tzf', tarball])).trim().split('\n');
    const pages = PAGES[basename(folder)].map((page) => `docs/${page}`);
    const wanted = ['README.md', 'LICENSE', 'CHANGELOG.md', ...pages];
    const missing = wanted.filter((file) => !names.includes(`package/${file}`));
    expect(missing.length === 0, `missing: ${missing.join(', ')}`);
    const packed = JSON.parse(await runQuietly('tar', ['-xzOf', tarball, 'package/package.json']));
    const { repository, homepage, bugs } = packed;
    expect(repository?.url === `git+${REPOSITORY}.git`, 'repository.url is another');
    expect(repository.directory === folder, `repository.directory must be ${folder}`);
    expect(homepage?.startsWith(`${REPOSITORY}/tree/main/${folder}`), 'homepage is another');
    expect(bugs?.url === `${REPOSITORY}/issues`, 'bugs.url is another');
    for (const file of ['README.md', ...pages]) {
      const text = await runQuietly('tar', ['-xzOf', tarball, `package/${file}`]);
      const dead = linksOf(text).filter((link) => !names.includes(`package/${join(dirname(file), link)}`));
      expect(dead.length === 0, `${file} has links that lead nowhere: ${dead.join(', ')}`);
    }
    return `${names.length} files`;
  });
}

/** Relative ones, without their anchors. */
function linksOf(text) {
  const links = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, link]) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

async function checkTarball({ manifest, tarball, folder }) {
  const { name } = manifest;
  await checkContents({ manifest, tarball, folder });
  await check(`${name} publint`, async () => {
    await runQuietly(process.execPath, [tool.publint, tarball, '--strict']);
  });
  if (!manifest.exports['.']) return;
  await check(`${name} types`, async () => {
    await runQuietly(process.execPath, [tool.attw, tarball, '--profile', 'esm-only']);
  });
}

function installInto(folder, tarballs, env) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
  return runQuietly('npm', ['install', ...options, ...tarballs], { cwd: folder, env });
}

function bytesUnder(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesUnder(join(path, name)), 0);
}

async function checkBudget(folder, { manifest, tarball }) {
  const budget = BUDGETS[manifest.name];
  if (!budget) return;
  await check(`${manifest.name} size`, async () => {
    await installInto(folder, [tarball], process.env);
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const packages = Object.keys(lock.packages).length - 1;
    const bytes = bytesUnder(join(folder, 'node_modules'));
    const note = `${packages} packages, ${(bytes / 1e6).toFixed(2)} MB`;
    expect(packages <= budget.packages && bytes <= budget.bytes, note);
    return note;
  });
}

/** All four pairs, as they lie in an install, and nothing beside them. */
async function checkBinaries(installed) {
  const prebuilds = join(installed, 'node_modules/@sbx/core/prebuilds');
  await check('prebuilt pairs', () => {
    const there = readdirSync(prebuilds).sort().join(' ');
    const wanted = PREBUILDS.map(({ platform }) => platform);
    expect(there === wanted.sort().join(' '), `there are ${there}`);
    return `${wanted.length}, ${(bytesUnder(prebuilds) / 1e6).toFixed(2)} MB`;
  });
  for (const pair of PREBUILDS) {
    const folder = join(prebuilds, pair.platform);
    await check(`${pair.platform} addon`, () => checkAddon(pair, folder));
    await check(`${pair.platform} helper`, () => checkHelper(pair, folder));
  }
}

function firstProgramOfReadme() {
  const block = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8'));
  expect(block, 'README.md has no ```js block');
  return block[1];
}

async function checkOnNode(version, folder, packed) {
  const node = await nodeBinary(version);
  const env = { ...process.env, PATH: makeBarePath(join(folder, 'bin'), node) };
  const installed = join(folder, 'app');
  const title = `Node ${version.split('.')[0]}`;
  await check(`${title} install`, async () => {
    await installInto(
      installed,
      packed.map(({ tarball }) => tarball),
      env,
    );
  });
  await check(`${title} README program`, async () => {
    writeFileSync(join(installed, 'first.mjs'), firstProgramOfReadme());
    const output = await runQuietly('node', ['first.mjs'], { cwd: installed, env });
    expect(output.trim() !== '', 'it printed nothing');
    return JSON.stringify(output.trim().split('\n')[0]);
  });
  await check(`${title} sbx doctor`, async () => {
    await runQuietly('npx', ['--no-install', 'sbx', 'doctor'], { cwd: installed, env });
  });
  return installed;
}

async function checkAll(folder) {
  const publishable = packagesInBuildOrder().filter(({ manifest }) => !manifest.private);
  const packed = await Promise.all(publishable.map((pkg) => pack(folder, pkg)));
  for (const one of packed) {
    await checkTarball(one);
    await checkBudget(join(folder, 'alone', one.manifest.name), one);
  }
  const installs = [];
  for (const version of NODE_VERSIONS)
    installs.push(await checkOnNode(version, join(folder, `node-${version}`), packed));
  await checkBinaries(installs[0]);
}

await setup();
await makePrebuilds();
const folder = mkdtempSync(join(tmpdir(), 'sbx-pack-'));
try {
  await checkAll(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} checks hold, ${counts.failed} do not.`);
process.exitCode = counts.failed > 0 ? 1 : 0;
