/**
 * Bundles a program with one tool. Arguments: node_modules of the tools, name of the tool, folder of the
 * project, whose program is `main.mjs`, and folder for the bundle. Prints the path of the file to start.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, name, project, out] = process.argv.slice(2);
const entry = join(project, 'main.mjs');
const require = createRequire(join(modules, 'any.js'));
const load = (tool) => import(pathToFileURL(require.resolve(tool)).href);
const isBuiltin = (id) => id.startsWith('node:') || builtinModules.includes(id);

async function withEsbuild(format, file) {
  const { build } = await load('esbuild');
  const outfile = join(out, file);
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format, outfile, logLevel: 'silent' });
  return outfile;
}

const TOOLS = {
  'esbuild, ESM': () => withEsbuild('esm', 'main.mjs'),
  'esbuild, CommonJS': () => withEsbuild('cjs', 'main.cjs'),

  async Rollup() {
    const { rollup } = await load('rollup');
    const { nodeResolve } = await load('@rollup/plugin-node-resolve');
    const bundle = await rollup({ input: entry, external: isBuiltin, plugins: [nodeResolve()], onwarn() {} });
    await bundle.write({ file: join(out, 'main.mjs'), format: 'es', inlineDynamicImports: true });
    return join(out, 'main.mjs');
  },

  async 'Vite SSR'() {
    const vite = await import(pathToFileURL(join(modules, 'vite/dist/node/index.js')).href);
    const build = { ssr: entry, outDir: out, emptyOutDir: false };
    await vite.build({
      root: project,
      configFile: false,
      logLevel: 'silent',
      build,
      ssr: { noExternal: true },
    });
    return join(out, 'main.js');
  },

  async webpack() {
    const { default: webpack } = await load('webpack');
    const config = {
      mode: 'production',
      target: 'node20',
      entry,
      output: { path: out, filename: 'main.cjs' },
    };
    const stats = await new Promise((resolve, reject) =>
      webpack(config, (error, done) => (error ? reject(error) : resolve(done))),
    );
    if (stats.hasErrors()) throw new Error(stats.toString());
    return join(out, 'main.cjs');
  },

  ncc() {
    const args = [join(modules, '@vercel/ncc/dist/ncc/cli.js'), 'build', entry, '-o', out];
    // Where there is no tsconfig.json.
    execFileSync(process.execPath, args, { cwd: project, stdio: 'ignore' });
    return join(out, 'index.mjs');
  },

  /** What Next's `standalone` and serverless packagers trace with. */
  async nft() {
    const { nodeFileTrace } = await load('@vercel/nft');
    const { fileList } = await nodeFileTrace([entry], { base: project });
    for (const file of fileList) {
      mkdirSync(dirname(join(out, file)), { recursive: true });
      cpSync(join(project, file), join(out, file), { dereference: true });
    }
    return join(out, 'main.mjs');
  },

  async 'single executable'() {
    const main = await withEsbuild('cjs', 'main.cjs');
    const [config, blob, program] = ['sea.json', 'sea.blob', 'program'].map((file) => join(out, file));
    writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
    execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'ignore' });
    copyFileSync(process.execPath, program);
    chmodSync(program, 0o755);
    const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
    const args = [join(modules, 'postject/dist/cli.js'), program, 'NODE_SEA_BLOB', blob];
    execFileSync(process.execPath, [...args, '--sentinel-fuse', fuse], { stdio: 'ignore' });
    return program;
  },
};

mkdirSync(out, { recursive: true });
process.stdout.write(`\n${await TOOLS[name]()}\n`);
