// Group C: bombs that are made on the host, and what must not have been seen there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { MiB } from '../harness/conditions.mjs';
import { withinLimits } from '../harness/expectations.mjs';
import { hostDiskUnchanged } from './exhaustion.mjs';

/** By the program: E2BIG. By the client: refused, or a clean sentence. */
export async function hugeArguments(context) {
  const problems = await context.check({ c: 'grow-args', verdicts: ['AC', 'MLE'] });
  const clients = [
    { title: '1 MiB in 64 arguments', argv: ['/bin/true', ...Array(64).fill('a'.repeat(16_384))] },
    { title: 'one argument of 1 MiB', argv: ['/bin/true', 'a'.repeat(MiB)] },
    { title: '100,000 arguments', argv: ['/bin/true', ...Array(100_000).fill('a')] },
    { title: '3 MiB of environment', argv: ['/bin/true'], env: Object.fromEntries(variables(30)) },
  ];
  for (const { title, ...one } of clients) {
    const result = await context.run(one);
    const isClean = result.verdict === 'AC' || (result.verdict === 'REFUSED' && result.message !== '');
    if (!isClean) problems.push(`[${title}] ${result.verdict} ${result.message}`);
  }
  return problems;
}

const variables = (count) => Array.from({ length: count }, (_, index) => [`V${index}`, 'v'.repeat(100_000)]);

const MACROS = Array.from({ length: 40 }, (_, n) => `#define M${n + 1} M${n} M${n}\n`).join('');

const SOURCES = {
  'templates.cc': 'template<int n> struct A { A<n+1> a, b; };\nA<0> x; int main(){}\n',
  'constexpr.cc':
    'constexpr long f(long n){ long s=0; for(long i=0;i<n;i++) s+=i; return s; }\nconstexpr long x=f(1l<<30); int main(){return x;}\n',
  'object.c': 'int a[1<<30]={1};\nint main(){return a[5];}\n',
  'macros.c': `#define M0 1+\n${MACROS}int x = M40 0;\nint main(){}\n`,
  'parentheses.c': `int x = ${'('.repeat(100_000)}1${')'.repeat(100_000)};\nint main(){}\n`,
  'debug.c': `#define A(x) struct s##x { int a; } v##x;\n${Array.from({ length: 20_000 }, (_, n) => `A(${n})`).join('\n')}\nint main(){}\n`,
};

const FLAGS = {
  'constexpr.cc': '-fconstexpr-ops-limit=2147483647 -fconstexpr-loop-limit=2147483647',
  'debug.c': '-g3',
  'templates.cc': '-ftemplate-depth=100000',
};

const BOMB = { quiet: true, verdicts: ['TLE', 'MLE', 'NZ', 'OLE', 'AC', 'SIG'], says: withinLimits };

export const compileBombs = hostDiskUnchanged(
  Object.entries(SOURCES).map(([name, text]) => ({
    title: name,
    sh: `g++ --version >/dev/null; ${name.endsWith('.cc') ? 'g++' : 'gcc'} ${FLAGS[name] ?? ''} ${name} -o out`,
    files: { [name]: text },
    limits: { memoryBytes: 128 * MiB },
    ...BOMB,
  })),
);

const lambdas = (depth) => (depth === 0 ? '() -> 1' : `f(${lambdas(depth - 1)}, ${lambdas(depth - 1)})`);

const LANGUAGES = [
  {
    program: '/usr/bin/javac',
    command: 'javac -J-Xmx64m A.java',
    files: {
      'A.java': `class A { static <T> T f(T a, T b) { return a; } Object x = ${lambdas(10).replaceAll('() -> 1', 'java.util.Map.of()')}; }\n`,
    },
  },
  {
    program: '/usr/lib/go/bin/go',
    command: 'HOME=/w GOCACHE=/tmp/c GOFLAGS=-mod=mod /usr/lib/go/bin/go build a.go',
    files: { 'a.go': 'package main\nvar x = [1<<40]byte{1<<39: 1}\nfunc main() { println(x[0]) }\n' },
  },
  {
    program: '/usr/bin/elixirc',
    command: 'HOME=/w elixirc a.ex',
    files: {
      'a.ex':
        'defmodule A do\n  defmacro f(), do: quote(do: A.f() + A.f())\nend\n(fn x -> x.(x) end).(fn x -> x.(x) end)\n',
    },
  },
  {
    program: '/usr/bin/erlc',
    command: 'HOME=/w erlc a.erl',
    files: {
      'a.erl': `-module(a).\n-export([f/0]).\n-define(M0, 1,1).\n${Array.from({ length: 30 }, (_, n) => `-define(M${n + 1}, ?M${n},?M${n}).`).join('\n')}\nf() -> [?M30].\n`,
    },
  },
];

/** Whichever of them the image has. */
export async function languageBombs(context) {
  const there = LANGUAGES.filter(({ program }) => existsSync(program));
  context.note(there.map(({ program }) => program).join(' '));
  const problems = [];
  for (const { command, files } of there) {
    const limits = { memoryBytes: 256 * MiB, procs: 64, openFiles: 1024 };
    problems.push(...(await context.check({ title: command, sh: command, files, limits, ...BOMB })));
  }
  return there.length === 0 ? ['no compiler but gcc is in the image'] : problems;
}

/** A zip entry by hand: `size` zero bytes, deflated. */
function zipOfZeros(size) {
  const name = Buffer.from('zeros');
  const data = deflateRawSync(Buffer.alloc(size));
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4); // deflated
  fields.writeUInt32LE(0, 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name, data]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, Buffer.alloc(14), name]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]);
}

/** It must have come as far as to a limit. */
const UNPACK = {
  quiet: true,
  verdicts: ['NZ', 'TLE', 'MLE', 'OLE', 'SIG'],
  says: (one) =>
    one.verdict === 'NZ' && !/No space left/.test(one.stderr) ? [one.stderr.slice(-200)] : withinLimits(one),
};

export const archiveBombs = hostDiskUnchanged([
  {
    title: 'gzip 1000:1',
    sh: 'gunzip -c b.gz > out',
    files: { 'b.gz': gzipSync(Buffer.alloc(256 * MiB)) },
    ...UNPACK,
  },
  {
    title: 'zip',
    py: `
      import zipfile, zlib
      zipfile.ZipExtFile._update_crc = lambda self, data: None
      zipfile.ZipFile('b.zip').extractall()`,
    files: { 'b.zip': zipOfZeros(256 * MiB) },
    ...UNPACK,
  },
  {
    title: 'tar of a million empty files',
    py: `
      import tarfile
      class Endless:
        n = 0
        def read(self, size):
          self.n += 1
          return tarfile.TarInfo(f'f{self.n}').tobuf()[:size]
      tarfile.open(fileobj=Endless(), mode='r|', bufsize=512).extractall()`,
    ...UNPACK,
  },
]);

const CORE_PATTERN = '/proc/sys/kernel/core_pattern';

/** With core_pattern as it is, and as a pipe to a handler that would leave a trace. */
export async function crashLargely(context) {
  const { world } = context;
  const trace = `${world.temp}-handler-ran`;
  const handler = `${world.folder}/handler`;
  writeFileSync(handler, `#!/bin/sh\ncat > ${trace}\n`, { mode: 0o755 });
  const crash = {
    c: 'crash-large',
    quiet: true,
    verdicts: ['SIG'],
    says: (one) => (one.signal === 'SIGSEGV' ? [] : [`${one.signal}`]),
  };
  const problems = await context.check(crash);
  const before = readFileSync(CORE_PATTERN, 'utf8');
  try {
    writeFileSync(CORE_PATTERN, `|${handler}`);
    problems.push(...(await context.check({ ...crash, title: 'core_pattern is a pipe' })));
    writeFileSync(CORE_PATTERN, `${world.disk}/core`);
    problems.push(...(await context.check({ ...crash, title: 'core_pattern is a file' })));
  } catch (error) {
    context.note(`core_pattern stays ${before.trim()}: ${error.code}`);
  } finally {
    restore(before);
  }
  if (existsSync(trace)) problems.push('a handler of the host ran');
  const cores = readdirSync(world.disk).filter((name) => name.startsWith('core'));
  return cores.length === 0 ? problems : [...problems, `core files: ${cores}`];
}

function restore(before) {
  try {
    writeFileSync(CORE_PATTERN, before);
  } catch {
    // It could not be changed either.
  }
}
