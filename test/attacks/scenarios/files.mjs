// Group E: attacks by requests, or of several runs on the same files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const describe = ({ verdict, message }) => `${verdict} ${message.slice(0, 120)}`;

/** Stage 1 leaves links and folders; stage 2, a run of its own, copies in over these names. */
export async function plantForNext(context) {
  const problems = await context.check({
    sh: 'ln -s /etc/passwd run.sh; ln -s /usr main.py; mkdir a; ln -s / a/b; mkdir b; echo done',
  });
  const files = { 'run.sh': 'echo ran\n', 'main.py': 'x', 'a/b': 'y' };
  const next = await context.run({ sh: 'sh run.sh; cat main.py a/b; ls -l', files });
  if (next.verdict !== 'AC' || !next.stdout.startsWith('ran\nxy')) problems.push(describe(next), next.stdout);
  return target(context, problems);
}

/** Core alone has sandboxes that stay: the second program's files meet the first one's links. */
async function target({ target, note }, problems) {
  if (target.engine === undefined) return problems;
  const before = readFileSync('/etc/passwd', 'utf8');
  const sandbox = await target.engine.createSandbox();
  await sandbox.run('/bin/sh', ['-c', 'ln -s /etc/passwd run.sh; ln -s / a; mkdir main.py']);
  const codes = [];
  for (const name of ['run.sh', 'a/tmp/planted', 'main.py']) {
    const code = await sandbox.writeFile(name, 'planted').then(
      () => 'written',
      (error) => error.code,
    );
    codes.push(code);
  }
  const seen = await sandbox.run('/bin/cat', ['/etc/passwd']);
  await sandbox.close();
  note(codes.join(' '));
  if (readFileSync('/etc/passwd', 'utf8') !== before) problems.push('a file of the host was written');
  if (seen.stdout.text().includes('planted')) problems.push('a file of the root was written');
  // A link may be replaced; what it points to may not.
  const odd = codes.filter((code) => code !== 'written' && !code.startsWith('SBX_FILE_'));
  return [...problems, ...odd];
}

/** Owner and mode of what links in the work folder point to. */
export async function planted(context) {
  const paths = ['/etc/shadow', '/etc/passwd', join(context.world.shown, 'root-only')];
  const look = () =>
    paths.map((path) => `${statSync(path).uid}:${statSync(path).gid}:${statSync(path).mode}`).join();
  const before = look();
  const problems = await context.check({
    sh: `${paths.map((path, index) => `ln -s ${path} l${index}; ln -s ${path} out${index}`).join('; ')}; mkdir d; ln -s / d/r; echo done`,
    files: { 'd2/f': 'x' },
    copyOut: ['out0', 'l1', 'd/r'],
    verdicts: ['FE', 'REFUSED'],
  });
  return look() === before ? problems : [...problems, 'owner or mode of a file of the host changed'];
}

const NAMES = [
  '../x',
  '../../x',
  '/etc/x',
  '/x',
  'a//b',
  '.',
  '',
  '..',
  'a\0b',
  'n'.repeat(4097),
  'a/../../b',
  './../x',
  '/proc/self/x',
  '/dev/null/x',
  '/a/x',
  '/usr/x',
  '-',
  'a/./b',
];

/** As copyIn, copyOut, and both: nothing may appear outside, nothing may come out. */
export async function badNames(context) {
  const { world } = context;
  const places = [
    '/',
    '/etc',
    world.folder,
    world.temp,
    world.shown,
    world.disk,
    process.cwd(),
    '/usr',
    world.attackPrograms,
  ];
  const listing = () => places.map((place) => readdirSync(place).join()).join('|');
  const before = listing();
  const problems = [];
  for (const name of NAMES) {
    const runs = [
      await context.run({ argv: ['/bin/true'], files: { [name]: 'x' } }),
      await context.run({ argv: ['/bin/true'], copyOut: [name] }),
    ];
    for (const one of runs) {
      if (one.verdict === 'IE') problems.push(`${JSON.stringify(name.slice(0, 20))}: ${describe(one)}`);
      if (Object.keys(one.files).length > 0) problems.push(`${JSON.stringify(name)} came out`);
    }
  }
  return listing() === before ? problems : [...problems, 'something appeared outside'];
}

export async function badFileIds({ target }) {
  const problems = [];
  const ids = [
    '../../etc/passwd',
    '..',
    '.',
    'a/b',
    '%2e%2e%2fetc%2fpasswd',
    '..%2f..%2fetc%2fpasswd',
    'AAAAAAAA',
    '%00',
    'x'.repeat(5000),
  ];
  for (const id of ids) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await target.request(`/file/${id}`, { method });
      const text = answer.text();
      if (answer.status < 300 || text.includes('root:')) problems.push(`${method} ${id}: ${answer.status}`);
    }
    const run = await target.run({
      argv: ['/bin/cat'],
      gojudge: {
        files: [
          { fileId: decodeURIComponent(id) },
          { name: 'stdout', max: 100, pipe: true },
          { name: 'stderr', max: 100, pipe: true },
        ],
      },
    });
    if (run.verdict !== 'REFUSED') problems.push(`fileId ${id}: ${describe(run)}`);
  }
  return [...problems, ...(await deleteWhileUsed(target))];
}

/** Runs that use a file while it goes: its old content, or a clean error. */
async function deleteWhileUsed(target) {
  const id = await target.store('content');
  const uses = Array.from({ length: 10 }, () =>
    target.run({ argv: ['/bin/cat', 'f'], gojudge: { copyIn: { f: { fileId: id } } }, queued: true }),
  );
  await target.request(`/file/${id}`, { method: 'DELETE' });
  const odd = (await Promise.all(uses)).filter(
    (one) =>
      !(one.verdict === 'AC' && one.stdout === 'content') &&
      one.verdict !== 'REFUSED' &&
      one.verdict !== 'FE',
  );
  return odd.map(describe);
}

/**
 * `src` of the server; in core `hostFile`, which is the caller's own word: a pipe or device must not block
 * it.
 */
export async function badSources(context) {
  const { target, world } = context;
  const fifo = join(world.folder, `fifo-${target.name}`);
  execFileSync('mkfifo', [fifo]);
  mkdirSync(`${world.shown}2`, { recursive: true });
  writeFileSync(join(`${world.shown}2`, 'sibling'), 'GOT a sibling');
  const link = join(world.shown, `link-${target.name}`);
  symlinkSync(join(world.secret, 'expected.txt'), link);
  const outside = [
    join(`${world.shown}2`, 'sibling'),
    join(world.shown, '../secret/expected.txt'),
    link,
    '/etc/shadow',
  ];
  const odd = [fifo, '/dev/zero', '/dev/tty', world.folder];
  const problems = [];
  for (const path of target.engine === undefined ? [...outside, ...odd] : odd) {
    const bounded = Promise.race([context.run(readingHostFile(target, path)), after(5000)]);
    const one = await bounded;
    if (one === null) problems.push(`${path} blocks`);
    else if (one.verdict === 'AC' && one.stdout.length > 0)
      problems.push(`${path}: ${one.stdout.slice(0, 60)}`);
    else if (one.verdict === 'IE') problems.push(`${path}: ${describe(one)}`);
  }
  return problems;
}

const readingHostFile = (target, path) =>
  target.engine === undefined
    ? { argv: ['/bin/cat', 'f'], gojudge: { copyIn: { f: { src: path } } } }
    : { argv: ['/bin/cat', 'f'], core: { files: { f: { hostFile: path } } } };

const after = (ms) => new Promise((resolve) => setTimeout(() => resolve(null), ms).unref());

/** Names as an attacker's tar has them; unpacked by a program inside. */
export async function unpackInside(context) {
  return context.check({
    py: `
      import io, tarfile
      data = io.BytesIO()
      with tarfile.open(fileobj=data, mode='w') as t:
        def add(name, kind=tarfile.REGTYPE, link='', mode=0o644, text=b'x', dev=0):
          i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.mode = mode; i.devmajor = dev; i.devminor = 3 * dev
          i.size = len(text) if kind == tarfile.REGTYPE else 0
          t.addfile(i, io.BytesIO(text))
        add('../../up'); add('/etc/absolute'); add('l', tarfile.SYMTYPE, '/etc'); add('l/through')
        add('h', tarfile.LNKTYPE, '/etc/passwd'); add('d', tarfile.CHRTYPE, dev=1); add('s', mode=0o6777)
      data.seek(0)
      with tarfile.open(fileobj=data) as t:
        for member in t.getmembers():
          try: t.extract(member, '/w/u')
          except Exception as e: print(member.name, e)
      for path in ('/up', '/etc/absolute', '/etc/through', '/w/u/d'):
        tried(path, os.stat, path)
      done()`,
  });
}

const INPUT = 'original\n';

/** Ways in which a target gives the same bytes to each of its runs. */
const inputsOf = (target, id) =>
  id === undefined
    ? [{ stdin: INPUT }, { core: { stdin: { text: INPUT, seekable: true } } }]
    : [{ gojudge: target.stdinFile(id) }, { stdin: INPUT }];

/** Programs that try to change their input, then a run that reads it again. */
export const changeInput = (cases) => async (context) => {
  const { target: server } = context;
  const problems = [];
  const id = await server.store?.(INPUT);
  for (const input of inputsOf(server, id)) {
    for (const one of cases) problems.push(...(await context.check({ ...one, ...input })));
    const again = await context.run({ argv: ['/bin/cat'], ...input });
    if (again.stdout !== INPUT) problems.push(`the next run reads ${JSON.stringify(again.stdout)}`);
  }
  if (id === undefined) return problems;
  const kept = (await server.request(`/file/${id}`)).text();
  if (kept !== INPUT) problems.push(`stored is now ${JSON.stringify(kept)}`);
  await server.request(`/file/${id}`, { method: 'DELETE' });
  return problems;
};

/** Each writes an executable and runs it at once: a writer that is still open would be ETXTBSY. */
export async function compileAndRun(context) {
  const one = {
    sh: 'gcc a.c -o a && ./a && for i in 1 2 3 4 5; do cp a b$i && ./b$i || exit 1; done; echo done',
    files: { 'a.c': 'int main(){return 0;}\n' },
    limits: { cpuMs: 10_000, wallMs: 60_000 },
    queued: true,
  };
  const problems = [];
  let left = 100;
  const worker = async () => {
    while (left-- > 0) problems.push(...(await context.check(one)));
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return problems.slice(0, 3);
}
