/**
 * Every place of core where a name is given, as a table. `attempt(base, { box, engine, folder, give })` uses
 * `base/folder/…` as the name and resolves with all that came back; an error is the caller's to judge. `box`:
 * a sandbox in which a program lives; `give`: files that a one-shot run needs for its base. `wide`: cheap
 * enough for every folder outside.
 */
import { interpreted } from '../harness/tiny-elf.mjs';

const LIMITS = { wallTimeMs: 5000, memoryBytes: 64 * 2 ** 20, processCount: 16 };
const all = (result) =>
  [
    result.stdout.text(),
    result.stderr.text(),
    ...Object.values(result.outputs).map((output) => output.text()),
    ...Object.values(result.files).map((file) => file.text()),
  ].join('\n');

const run = async (on, file, args = [], options = {}) =>
  all(await on.run(file, args, { limits: LIMITS, ...options }));

const READ = ['/bin/sh', ['-c', 'cat "$1"/marker; ls "$1"; echo x > "$1"/written; exec "$1"/run', 'sh']];
/** A program without harm, which finds in its folder what it was never to see. */
const innocent = (on, cwd, folder, more = {}) => run(on, READ[0], [...READ[1], folder], { cwd, ...more });

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const ENTER = [
  { place: 'working folder of a program', attempt: (base, { box, folder }) => innocent(box, base, folder) },
  {
    place: 'working folder of a program with a terminal',
    attempt: (base, { box, folder }) => innocent(box, base, folder, { pty: {} }),
  },
  {
    place: 'working folder of a program beside another',
    beside: true,
    attempt: (base, { box, folder }) => innocent(box, base, folder),
  },
  {
    place: 'working folder of a fresh sandbox',
    fresh: true,
    attempt: (base, { engine, folder, give }) => innocent(engine, base, folder, { files: give }),
  },
  {
    place: 'working folder of a group',
    fresh: true,
    async attempt(base, { engine, folder, give }) {
      const args = [...READ[1], folder];
      const { results } = await engine.runGroup({
        programs: [{ file: READ[0], args, cwd: base, limits: LIMITS, files: give }, { file: '/bin/true' }],
      });
      return results.map(all).join('\n');
    },
  },
  {
    // Nobody can put a link there before it starts.
    place: 'working folder of a program that waits',
    callerOnly: true,
    attempt: async (base, { engine, folder, isControl }) => {
      const standby = engine.standby();
      try {
        const code = `cat ${folder}/marker; ls ${folder}; echo INSIDE`;
        const request = {
          file: '/bin/sh',
          args: ['main.sh'],
          entry: 'main.sh',
          cwd: isControl ? '.' : base,
          code,
        };
        const program = await standby.spawn('one', request);
        void program.stdin.end();
        return (await Promise.all([program.stdout.text(), program.stderr.text()])).join('\n');
      } finally {
        await standby.close();
      }
    },
  },
];

const EXECUTE = [
  { place: 'program', attempt: (base, { box, folder }) => run(box, `${base}/${folder}/run`) },
  {
    place: 'program below its working folder',
    attempt: (base, { box, folder }) => run(box, `./${folder}/run`, [], { cwd: base }),
  },
  {
    place: 'program looked for in its working folder first',
    attempt: (base, { box, folder }) =>
      run(box, 'run', [], { cwd: `${base}/${folder}`, lookup: 'cwd-first' }),
  },
  {
    place: 'folder of PATH',
    attempt: (base, { box, folder }) => run(box, 'run', [], { env: { PATH: `/none:${base}/${folder}` } }),
  },
  {
    place: 'program of a fresh sandbox',
    fresh: true,
    attempt: (base, { engine, folder, give }) => run(engine, `${base}/${folder}/run`, [], { files: give }),
  },
  {
    place: 'interpreter of a script',
    attempt: async (base, { box, folder, number }) => {
      await box.writeFile(`s${number}`, `#!${base}/${folder}/run\n`, { mode: 0o755 });
      return run(box, `./s${number}`);
    },
  },
  {
    place: 'loader of an executable',
    attempt: async (base, { box, folder, number }) => {
      await box.writeFile(`x${number}`, interpreted(`${base}/${folder}/run`), { mode: 0o755 });
      return run(box, `./x${number}`);
    },
  },
];

const STREAMS = [
  {
    place: 'file for standard input',
    attempt: (base, { box, folder }) =>
      run(box, '/bin/cat', [], { stdin: { file: `${base}/${folder}/marker` } }),
  },
  {
    place: 'file for an input by number',
    attempt: (base, { box, folder }) =>
      run(box, '/bin/sh', ['-c', 'cat <&7'], { fds: { 7: { input: { file: `${base}/${folder}/marker` } } } }),
  },
  {
    place: 'file for standard input of a fresh sandbox',
    fresh: true,
    attempt: (base, { engine, folder, give }) =>
      run(engine, '/bin/cat', [], { files: give, stdin: { file: `${base}/${folder}/marker` } }),
  },
  {
    place: 'file for standard output',
    attempt: (base, { box, folder }) =>
      run(box, '/bin/echo', ['INSIDE'], {
        stdout: { file: `${base}/${folder}/victim`, collect: { maxBytes: 999 } },
      }),
  },
  {
    place: 'file for standard output of a fresh sandbox',
    fresh: true,
    attempt: (base, { engine, folder, give }) =>
      run(engine, '/bin/echo', ['INSIDE'], {
        files: give,
        stdout: { file: `${base}/${folder}/victim`, collect: { maxBytes: 999 } },
      }),
  },
];

const copyOut = (base, folder, as = 'bytes') => [
  { path: `${base}/${folder}/marker`, as, maxBytes: 999, truncate: true },
  { path: `${base}/${folder}/link`, as, maxBytes: 999 },
];

const COPY = [
  {
    place: 'file to copy in',
    attempt: (base, { box, folder }) =>
      run(box, '/bin/true', [], {
        files: { [`${base}/${folder}/victim`]: 'x', [`${base}/${folder}/new/f`]: 'x' },
      }),
  },
  {
    place: 'link to copy in',
    attempt: (base, { box, folder }) =>
      run(box, '/bin/true', [], { files: { [`${base}/${folder}/planted`]: { symlink: 'x' } } }),
  },
  {
    place: 'file to copy into a fresh sandbox, through a link copied in',
    fresh: true,
    attempt: (base, { engine, folder, give }) =>
      run(engine, '/bin/cat', [`${base}/${folder}/marker`], {
        files: { ...give, [`${base}/${folder}/victim`]: 'x' },
      }),
  },
  {
    place: 'file to copy out',
    wide: true,
    attempt: (base, { box, folder }) => run(box, '/bin/true', [], { copyOut: copyOut(base, folder) }),
  },
  {
    place: 'file to copy out of a fresh sandbox',
    fresh: true,
    attempt: (base, { engine, folder, give }) =>
      run(engine, '/bin/true', [], { files: give, copyOut: copyOut(base, folder) }),
  },
];

const bytes = (taken) => Buffer.from(taken).toString();

/** Of a living sandbox: `name` leads to the folder outside. */
const CALLS = {
  writeFile: (box, name) => box.writeFile(`${name}/victim`, 'x'),
  'writeFile of a new one': (box, name) => box.writeFile(`${name}/new/written`, 'x'),
  'writeFile of a link': (box, name) => box.writeFile(`${name}/planted`, { symlink: 'x' }),
  'writeFile from a stream': (box, name) =>
    box.writeFile(
      `${name}/victim`,
      (async function* () {
        yield 'x';
      })(),
    ),
  readFile: async (box, name) => bytes(await box.readFile(`${name}/marker`)),
  createReadStream: (box, name) => textOf(box.createReadStream(`${name}/marker`)),
  mkdir: (box, name) => box.mkdir(`${name}/made`),
  'mkdir with parents': (box, name) => box.mkdir(`${name}/made/deep`, { recursive: true }),
  readdir: async (box, name) => (await box.readdir(name)).join('\n'),
  stat: async (box, name) => ((await box.stat(`${name}/marker`)).kind === 'file' ? 'FOUND' : ''),
  lstat: async (box, name) => ((await box.lstat(`${name}/link`)).kind === 'symlink' ? 'FOUND' : ''),
  rm: (box, name) => box.rm(`${name}/victim2`),
  'rm with all below': (box, name) => box.rm(name, { recursive: true }),
  'rename from': (box, name) => box.rename(`${name}/victim2`, 'taken'),
  'rename to': (box, name) => box.rename('mine', `${name}/planted`),
  symlink: (box, name) => box.symlink('x', `${name}/planted`),
  readlink: (box, name) => box.readlink(`${name}/link`),
  chmod: (box, name) => box.chmod(`${name}/victim`, 0o777),
};

const FILES = Object.entries(CALLS).map(([call, use]) => ({
  place: `path of ${call}`,
  wide: true,
  attempt: async (base, { box, folder }) => String((await use(box, `${base}/${folder}`)) ?? ''),
}));

export const PLACES = [...ENTER, ...EXECUTE, ...STREAMS, ...COPY, ...FILES];
