// The two binaries, and what is built to test them: which sources with which flags.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { protocolVersion } from './protocol/typescript.mjs';
import { severalAtATime } from './several.mjs';

export const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(here);
const resolve = createRequire(import.meta.url).resolve;
const compiler = process.env.CXX ?? 'g++';

const libc = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
const out = join(root, 'packages/core/prebuilds', `linux-${process.arch}-${libc}`);

export const sources = (folder) =>
  readdirSync(join(here, folder))
    .filter((name) => name.endsWith('.cc'))
    .sort()
    .map((name) => join(here, folder, name));

export const warnings = ['-std=c++20', '-Wall', '-Wextra', '-Werror', '-Wno-missing-field-initializers'];
const plain = ['-fno-exceptions', '-fno-rtti'];

export const versionOfTables = `-DSBX_PROTOCOL_VERSION=${protocolVersion()}u`;
// For the fuzzer, whose inputs shall outlive a change of the tables.
const fixedVersion = '-DSBX_PROTOCOL_VERSION=4u';

// No libc, no run-time initialisers: what the helper is made of can be read in native/helper.
export const helper = {
  output: join(out, 'sbx-helper'),
  flags: [
    versionOfTables,
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

// Its time goes into system calls and Node-API: for size, which is 65 KB less in each pair of the package.
export const addon = () => ({
  output: join(out, 'sbx.node'),
  flags: [
    versionOfTables,
    '-Os',
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

// The parts of helper and addon that need neither a sandbox around them nor Node: compiled against libc, as
// any program.
const hosted = [
  'helper/bounds.cc',
  'helper/cgroup_tree.cc',
  'helper/counters.cc',
  'helper/descriptors.cc',
  'helper/enforce.cc',
  'helper/landlock.cc',
  'helper/launch.cc',
  'helper/launch_message.cc',
  'helper/mask.cc',
  'helper/names.cc',
  'helper/places.cc',
  'helper/proc_files.cc',
  'helper/programs.cc',
  'helper/template.cc',
  'helper/template_message.cc',
  'helper/held_memory.cc',
  'helper/watch_memory.cc',
  'addon/gathered.cc',
  'addon/relay_pump.cc',
  'addon/tree_remover.cc',
  'addon/uncounted_bytes.cc',
];

const sanitized = [
  '-g',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
];

export const test = {
  output: join(root, 'build/native-test'),
  flags: [versionOfTables, '-O1', ...sanitized],
  sources: [
    ...sources('test'),
    ...sources('common'),
    ...sources('plan'),
    ...hosted.map((file) => join(here, file)),
  ],
};

const faults = join(root, 'build/faults');
export const helperWithFaults = () => ({
  ...helper,
  output: join(faults, 'sbx-helper'),
  flags: [...helper.flags, `-DSBX_FAULT_TABLE="${join(faults, 'table')}"`],
});
export const addonWithFaults = () => ({
  ...addon(),
  output: join(faults, 'sbx.node'),
  flags: [...addon().flags, `-DSBX_FAULT_CALLS="${join(faults, 'calls')}"`],
});

// The helper on a made-up kernel; it alone is watched for what code an input reaches. Not what makes its
// filters: a fifth of the time was spent counting loops there that hardly an input changes.
export const fuzzFolder = join(root, 'build/fuzz');
const filters = {
  output: join(fuzzFolder, 'filters.o'),
  flags: [fixedVersion, '-O2', ...sanitized, '-c'],
  sources: helper.sources.filter((file) => file.endsWith('/seccomp.cc')),
};
const fuzzed = {
  output: join(fuzzFolder, 'helper.o'),
  flags: [
    fixedVersion,
    '-O2',
    ...sanitized,
    '-DSBX_FAKE_KERNEL',
    '-fsanitize-coverage=trace-pc',
    '-r',
    '-nostdlib',
  ],
  sources: helper.sources.filter((file) => !file.endsWith('/start.cc') && !filters.sources.includes(file)),
};
// What counts the code that is reached is called at each branch, so nothing watches it.
const coverage = {
  output: join(fuzzFolder, 'coverage.o'),
  flags: ['-O3', '-c'],
  sources: [join(here, 'fuzz/coverage.cc')],
};
const fuzzer = {
  output: join(fuzzFolder, 'fuzz'),
  flags: [fixedVersion, '-O2', ...sanitized, '-DSBX_FAKE_KERNEL'],
  sources: [
    ...sources('fuzz').filter((file) => file !== coverage.sources[0]),
    coverage.output,
    filters.output,
    fuzzed.output,
  ],
};

const run = (args) => promisify(execFile)(compiler, [...warnings, ...args]);

/** What only the linker wants to know. */
export const isForLinker = (flag) => /^-(Wl,|shared$|static$|s$|nostdlib$|no-pie$|r$)/.test(flag);
export const forCompiling = (flags) => flags.filter((flag) => !isForLinker(flag));

export async function compile({ output, flags, sources: files }) {
  mkdirSync(dirname(output), { recursive: true });
  if (flags.includes('-c')) await run([...flags, '-o', output, ...files]);
  else await compileInParts(run, { output, compiling: forCompiling(flags), linking: flags, files });
}

/** Each source alone, several at a time, and then together. `call` takes the compiler's arguments. */
export async function compileInParts(call, { output, compiling, linking, files }) {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-objects-'));
  // Folders have sources of the same name. What is an object already stays where it is.
  const parts = files.map((file, index) => ({
    file,
    object: file.endsWith('.cc') ? join(folder, `${index}-${basename(file)}.o`) : file,
  }));
  try {
    const compiled = parts.filter(({ file, object }) => file !== object);
    await severalAtATime(compiled, ({ file, object }) => call([...compiling, '-c', '-o', object, file]));
    await call([...linking, '-o', output, ...parts.map(({ object }) => object)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One source alone, for what the compiler says of it. */
export const compileForWarnings = (file, flags) => run([...flags, '-c', '-o', '/dev/null', file]);

/** The fuzzer's path. */
export async function buildFuzzer() {
  for (const part of [filters, fuzzed, coverage, fuzzer]) await compile(part);
  return fuzzer.output;
}
