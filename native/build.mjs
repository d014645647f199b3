// Builds the helper and the addon with g++ alone: no node-gyp, no download. Results go into the package that ships them.
// With --test: builds the native tests under AddressSanitizer and UBSan and runs them, then fuzzes for some seconds. With
// --fuzz [--minutes N]: fuzzes for so long and keeps what it learns in fuzz/corpus. With --faults: a helper whose steps and an addon
// whose system calls can be made to fail, into build/faults (see helper/faults.h, common/call_faults.h). Other compilers: set CXX.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protocolVersion, typescriptSources } from './protocol/typescript.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const resolve = createRequire(import.meta.url).resolve;
const compiler = process.env.CXX ?? 'g++';

const libc = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
const out = join(root, 'packages/core/prebuilds', `linux-${process.arch}-${libc}`);

const sources = (folder) =>
  readdirSync(join(here, folder))
    .filter((name) => name.endsWith('.cc'))
    .sort()
    .map((name) => join(here, folder, name));

const version = `-DSBX_PROTOCOL_VERSION=${protocolVersion()}u`;
const warnings = ['-std=c++20', version, '-Wall', '-Wextra', '-Werror', '-Wno-missing-field-initializers'];
const plain = ['-fno-exceptions', '-fno-rtti'];

// No libc, no run-time initialisers: what the helper is made of can be read in native/helper.
const helper = {
  output: join(out, 'sbx-helper'),
  flags: [
    '-O2',
    ...plain,
    '-ffreestanding',
    '-fno-builtin',
    '-fno-stack-protector',
    '-fno-threadsafe-statics',
    '-fno-asynchronous-unwind-tables',
    '-fno-pic',
    '-no-pie',
    '-nostdlib',
    '-static',
    '-s',
    '-Wl,--build-id=none',
    '-Wl,-z,noseparate-code',
    '-Wl,-z,noexecstack',
  ],
  sources: [
    ...sources('helper'),
    join(here, 'common/channel.cc'),
    join(here, 'plan/seccomp.cc'),
    join(here, 'plan/families.cc'),
  ],
};

const addon = () => ({
  output: join(out, 'sbx.node'),
  flags: [
    '-O2',
    ...plain,
    '-shared',
    '-fPIC',
    '-fvisibility=hidden',
    '-s',
    '-DNAPI_VERSION=8',
    '-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS',
    '-DNODE_ADDON_API_DISABLE_DEPRECATED',
    '-isystem',
    dirname(resolve('node-addon-api/napi.h')),
    '-isystem',
    join(dirname(resolve('node-api-headers/package.json')), 'include'),
  ],
  sources: [...sources('addon'), join(here, 'common/channel.cc')],
});

// The parts of helper and addon that need neither a sandbox around them nor Node: compiled against libc, as any program.
const hosted = [
  'helper/bounds.cc',
  'helper/cgroup_tree.cc',
  'helper/counters.cc',
  'helper/descriptors.cc',
  'helper/landlock.cc',
  'helper/launch.cc',
  'helper/mask.cc',
  'helper/names.cc',
  'helper/template.cc',
  'helper/template_message.cc',
  'addon/gathered.cc',
  'addon/relay_pump.cc',
  'addon/tree_remover.cc',
];

const sanitized = [
  '-O1',
  '-g',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
];

const test = {
  output: join(root, 'build/native-test'),
  flags: sanitized,
  sources: [
    ...sources('test'),
    ...sources('common'),
    ...sources('plan'),
    ...hosted.map((file) => join(here, file)),
  ],
};

function compile({ output, flags, sources: files }) {
  mkdirSync(dirname(output), { recursive: true });
  execFileSync(compiler, [...warnings, ...flags, '-o', output, ...files], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

const faults = join(root, 'build/faults');
const helperWithFaults = () => ({
  ...helper,
  output: join(faults, 'sbx-helper'),
  flags: [...helper.flags, `-DSBX_FAULT_TABLE="${join(faults, 'table')}"`],
});

// The helper on a made-up kernel; it alone is watched for what code an input reaches.
const fuzzFolder = join(root, 'build/fuzz');
const fuzzed = {
  output: join(fuzzFolder, 'helper.o'),
  flags: [...sanitized, '-DSBX_FAKE_KERNEL', '-fsanitize-coverage=trace-pc', '-r', '-nostdlib'],
  sources: helper.sources.filter((file) => !file.endsWith('/start.cc')),
};
// What counts the code that is reached is called at each branch, so nothing watches it.
const coverage = {
  output: join(fuzzFolder, 'coverage.o'),
  flags: ['-O3', '-c'],
  sources: [join(here, 'fuzz/coverage.cc')],
};
const fuzzer = {
  output: join(fuzzFolder, 'fuzz'),
  flags: [...sanitized, '-O2', '-DSBX_FAKE_KERNEL'],
  sources: [
    ...sources('fuzz').filter((file) => file !== coverage.sources[0]),
    coverage.output,
    fuzzed.output,
  ],
};

/** Seconds by target. */
const FUZZ_SHORT = { helper: 6, counters: 2 };

const run = (file, args = []) =>
  spawnSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1; // null: it was killed

/** 0 when nothing was found. `more`: arguments for each target. */
function fuzz(seconds, more) {
  for (const part of [fuzzed, coverage, fuzzer]) compile(part);
  const codes = Object.entries(seconds).map(([target, time]) => {
    const corpus = join(here, 'fuzz/corpus', `${target}.txt`);
    const crash = join(fuzzFolder, `crash-${target}`);
    return run(fuzzer.output, [
      target,
      '--seconds',
      `${time}`,
      '--corpus',
      corpus,
      '--crash',
      crash,
      ...more,
    ]);
  });
  return Math.max(...codes);
}

function fuzzLong() {
  const at = process.argv.indexOf('--minutes');
  const minutes = at < 0 ? 10 : Number(process.argv[at + 1]);
  const seed = `${Date.now() % 2 ** 32}`;
  console.log(`seed ${seed}`);
  return fuzz({ helper: minutes * 54, counters: minutes * 6 }, ['--keep', '--seed', seed]);
}

/** Only what differs: a file that is written makes a watching compiler start again. */
function writeTypescript() {
  for (const [name, source] of Object.entries(typescriptSources())) {
    const path = join(root, 'packages/core/src', name);
    if (!existsSync(path) || readFileSync(path, 'utf8') !== source) writeFileSync(path, source);
  }
}

const addonWithFaults = () => ({
  ...addon(),
  output: join(faults, 'sbx.node'),
  flags: [...addon().flags, `-DSBX_FAULT_CALLS="${join(faults, 'calls')}"`],
});

if (process.argv.includes('--fuzz')) {
  process.exitCode = fuzzLong();
} else if (process.argv.includes('--faults')) {
  compile(helperWithFaults());
  compile(addonWithFaults());
} else if (process.argv.includes('--test')) {
  compile(test);
  process.exitCode = run(test.output) || fuzz(FUZZ_SHORT, []);
} else {
  writeTypescript();
  compile(helper);
  compile(addon());
}
