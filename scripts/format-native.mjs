// The native code is formatted as native/.clang-format says. `--write` formats it; without it, a file that is
// not is an error.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { pythonPackages } from './lib/python-tools.mjs';

const listed = ['ls-files', '--cached', '--others', '--exclude-standard', 'native/*.cc', 'native/*.h'];
const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).trim().split('\n');
const home = await pythonPackages('clang-format', 'scripts/clang-format/requirements.txt');
const mode = process.argv.includes('--write') ? ['-i'] : ['--dry-run', '--Werror'];
const { status, error } = spawnSync(join(home, 'clang_format/data/bin/clang-format'), [...mode, ...files], {
  cwd: root,
  stdio: 'inherit',
});
if (error) throw error;
if (status !== 0) console.error('Run: npm run format');
process.exitCode = status ?? 1;
