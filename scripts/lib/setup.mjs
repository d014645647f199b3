// All the set-up that a checkout needs: pnpm, packages, native code, builds. Each step is skipped when its
// inputs, compared by content, are those of its last success. Quiet when there is nothing to do.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { fetchThroughNpm } from './npm.mjs';
import { packagesInBuildOrder, root, tool } from './paths.mjs';
import { fetchPnpm, pnpmQuietly } from './pnpm.mjs';
import { withProgress } from './progress.mjs';
import { CommandError, runQuietly } from './run.mjs';
import { makeReference, referenceInputs } from './site/reference.mjs';
import { hashOf, isFresh, writeStamp } from './stamp.mjs';

const OLDEST_NODE = [20, 19];

/** What brings the tools of node_modules; enough to format and to check types. */
function toolSteps() {
  const packages = packagesInBuildOrder();
  const manifests = ['package.json', ...packages.map((pkg) => join(pkg.folder, 'package.json'))];
  return [
    {
      name: 'pnpm',
      inputs: ['scripts/pnpm'],
      outputs: ['.sbx-setup/pnpm/node_modules/pnpm'],
      run: fetchPnpm,
    },
    {
      name: 'packages',
      inputs: ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests],
      outputs: ['node_modules/.modules.yaml'],
      run: () => pnpmQuietly(['install', '--frozen-lockfile', '--prefer-offline']),
    },
  ];
}

/** Of the documentation site. Only its build needs them, so they are no part of the rest. */
function siteSteps() {
  return [
    {
      name: 'site',
      inputs: ['scripts/site/package.json', 'scripts/site/package-lock.json'],
      outputs: ['.sbx-setup/site/node_modules/vitepress'],
      // typedoc, which its plugin is for, is the workspace's.
      run: () => fetchThroughNpm('site', ['--legacy-peer-deps']),
    },
    {
      name: 'site-reference',
      inputs: referenceInputs(),
      outputs: ['.sbx-setup/site/reference'],
      run: makeReference,
    },
  ];
}

function buildSteps() {
  return [
    {
      name: 'native',
      inputs: ['native', 'pnpm-lock.yaml'],
      outputs: ['packages/core/prebuilds'],
      run: () => runQuietly(process.execPath, ['native/build.mjs']),
    },
    ...packagesInBuildOrder().map(buildStep),
  ];
}

function buildStep({ folder, manifest }) {
  const configs = ['tsup.config.ts', 'tsconfig.base.json', 'pnpm-lock.yaml'];
  // What is ours among these is bundled.
  const bundled = packagesInBuildOrder()
    .filter((other) => manifest.devDependencies?.[other.manifest.name] !== undefined)
    .map((other) => join(other.folder, 'src'));
  /** Files for browsers beside those for Node. */
  const site = existsSync(join(root, folder, 'site')) ? [join(folder, 'site')] : [];
  return {
    name: `build-${folder.slice('packages/'.length)}`,
    inputs: ['src', 'package.json', 'tsconfig.json']
      .map((name) => join(folder, name))
      .concat(site, bundled, configs),
    outputs: [join(folder, 'dist')],
    run: async () => {
      rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
      await runQuietly(process.execPath, [tool.tsup, '--config', join(root, 'tsup.config.ts')], {
        cwd: join(root, folder),
      });
      if (site.length > 0)
        await runQuietly(process.execPath, [tool.vite, 'build'], { cwd: join(root, folder, 'site') });
    },
  };
}

async function take(step, number, count) {
  const hash = hashOf(step.inputs);
  if (isFresh(step.name, hash, step.outputs)) return;
  await withProgress({ name: step.name, number, count }, step.run);
  writeStamp(step.name, hash);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(`setup: needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}.`);
  process.exit(1);
}

async function takeAll(steps) {
  checkNode();
  try {
    await withLock(async () => {
      for (const [index, step] of steps.entries()) await take(step, index + 1, steps.length);
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`failed\n\n${error.output}\nsetup: ${error.message}`);
    process.exit(1);
  }
}

/** Brings the checkout up to date, or says what failed and ends the process. */
export const setup = () => takeAll([...toolSteps(), ...buildSteps()]);

/** The same for the tools alone, whatever state the sources are in. */
export const setupTools = () => takeAll(toolSteps());

/** Brings what `npm run docs:site` needs besides. */
export const provideSiteParts = () => takeAll(siteSteps());
