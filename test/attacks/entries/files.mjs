// Group E: files in and out.
import {
  badFileIds,
  badNames,
  badSources,
  changeInput,
  compileAndRun,
  planted,
  plantForNext,
  unpackInside,
} from '../scenarios/files.mjs';

/** Nothing may come out but what the program itself could write. */
const nothingOut = (one) => {
  const names = Object.keys(one.files);
  const problems = names.map((name) => `${name} came out: ${one.files[name].toString('utf8', 0, 60)}`);
  return one.replyMs - one.wallMs > 300 ? [...problems, 'it took too long'] : problems;
};

/** Makes `out` somehow, then asks for these paths. */
const outOf = (sh, ...copyOut) => ({
  title: `${sh} → ${copyOut}`,
  sh: `${sh}; echo done`,
  copyOut,
  verdicts: ['FE', 'REFUSED'],
  says: nothingOut,
});

export const FILES = [
  {
    id: 105,
    name: 'a link to a file of the host as result',
    expected: 'FE',
    cases: ['/etc/passwd', '/dev/urandom', '/nowhere', '/etc/shadow', '/proc/self/environ'].map((to) =>
      outOf(`ln -s ${to} out`, 'out'),
    ),
  },
  {
    id: 106,
    name: 'a link to a folder of the host on the way to the result',
    expected: 'FE; never content of init or server',
    cases: [
      outOf('ln -s /proc/self out', 'out/environ', 'out/status'),
      outOf('ln -s /proc/1 out', 'out/environ'),
      outOf('ln -s / out', 'out/etc/passwd'),
      outOf('ln -s .. out', 'out/etc/passwd'),
      outOf('mkdir d; ln -s ../.. d/out', 'd/out/etc/passwd'),
    ],
  },
  {
    id: 107,
    name: 'a magic link as result',
    expected: 'FE',
    cases: [
      '/proc/self/fd/3',
      '/proc/1/fd/4',
      '/proc/self/exe',
      '/dev/fd/0',
      '/proc/self/root/etc/passwd',
    ].map((to) => outOf(`ln -s ${to} out`, 'out')),
  },
  {
    id: 108,
    name: 'a pipe, socket, device or folder as result',
    expected: 'FE at once, no hang',
    cases: [
      outOf('mkfifo out', 'out'),
      outOf('mkdir out', 'out'),
      outOf(`python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("out")'`, 'out'),
      outOf('ln -s /dev/null out', 'out'),
    ],
  },
  {
    id: 109,
    name: 'a daemon that swaps the result for a link while it is taken',
    expected: 'the file’s content, or FE',
    cases: [
      {
        sh: `
          echo mine > out; ln -s /etc/passwd l; echo done
          while :; do mv -f l out; ln -s /etc/passwd l; echo mine > m; mv -f m out; done &
          exit 0`,
        copyOut: ['out'],
        verdicts: ['AC', 'FE'],
        says: (one) =>
          Object.values(one.files)
            .filter((data) => data.toString() !== 'mine\n')
            .map(() => 'other content'),
      },
    ],
  },
  {
    id: 110,
    name: 'a daemon that writes to the result for ever',
    expected: 'killed first; the size is stable',
    cases: [
      {
        sh: 'echo done; while :; do echo x >> out; done & while [ ! -s out ]; do :; done; exit 0',
        copyOut: ['out'],
        says: (one) => (one.files.out?.length > 0 ? [] : ['nothing came out']),
      },
    ],
  },
  {
    id: 111,
    name: 'a hard link of a file of root in the work folder',
    expected: 'EXDEV, EPERM',
    cases: [
      {
        sh: `for f in /etc/passwd /usr/bin/env /data/open /data/root-only /bin/su; do tried $f ln $f l; done; done_`,
      },
    ],
  },
  {
    id: 112,
    name: 'plant links where the next stage copies its files in',
    expected: 'a work folder of its own for each run; inside one run FE',
    attack: plantForNext,
  },
  {
    id: 113,
    name: 'have the server change owners or modes by path',
    expected: 'the server never does',
    attack: planted,
  },
  {
    id: 114,
    name: 'names that lead out, in requests',
    expected: 'refused or FE; nothing outside',
    attack: badNames,
  },
  {
    id: 115,
    name: 'ids of stored files that lead out',
    expected: '404, 500; no traversal',
    applies: ({ target }) => (target.name === 'core' ? 'core has no stored files: the server’s part' : null),
    attack: badFileIds,
  },
  {
    id: 116,
    name: 'files of the server outside of what is allowed',
    expected: 'refused; a pipe never blocks',
    attack: badSources,
  },
  {
    id: 117,
    name: 'archives that lead out when they are unpacked',
    expected: 'contained: they are unpacked inside',
    attack: unpackInside,
  },
  {
    id: 118,
    name: 'leave a set-user-id program for the next run',
    expected: 'gone, and without rights anyway',
    cases: [
      { sh: 'cp /a/gain-rights /tmp/p && chmod 6777 /tmp/p && /tmp/p' },
      { sh: 'tried left test -e /tmp/p; done_' },
      { sh: 'tried left test -e /tmp/p; done_' },
    ],
  },
  {
    id: 119,
    name: 'change the stored input through /proc/self/fd/0',
    expected: 'denied; the next run reads the same',
    attack: changeInput([
      {
        py: `
          import stat
          def tried_on_file(what, flags, data):
            try: os.write(os.open('/proc/self/fd/0', flags), data)
            except OSError as e: return print(what, name(e.errno))
            if stat.S_ISFIFO(os.fstat(0).st_mode): print(what, 'into a pipe of its own')
            else: got(what)
          tried_on_file('reopen', os.O_RDWR | os.O_NONBLOCK, b'changed')
          tried_on_file('append', os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK, b'x')
          tried_on_file('cut', os.O_WRONLY | os.O_TRUNC | os.O_NONBLOCK, b'x')
          done()`,
      },
    ]),
  },
  {
    id: 120,
    name: 'change the input by mapping, truncating, changing its mode',
    expected: 'denied, or a copy of its own',
    attack: changeInput([
      {
        py: `
          import mmap
          def shared():
            m = mmap.mmap(0, 4, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE); m[0] = 88
          for what, f in (('map', shared), ('ftruncate', lambda: os.ftruncate(0, 0)), ('fchmod', lambda: os.fchmod(0, 0o777)),
                          ('fallocate', lambda: os.posix_fallocate(0, 0, 100)), ('write', lambda: os.write(0, b'x'))):
            try: f(); print(what, 'of a copy')
            except (OSError, ValueError) as e: print(what, e)
          done()`,
      },
    ]),
  },
  {
    id: 121,
    name: 'keep an unlinked file open across fork and end',
    expected: 'nothing left; FE or content',
    cases: [
      {
        sh: 'echo done; exec 3>out; echo x >&3; rm out; (while :; do echo y >&3; done) & exit 0',
        copyOut: ['out'],
        verdicts: ['FE'],
        says: nothingOut,
      },
      {
        sh: 'echo done; echo x > out; (while :; do rm -f out; echo x > out; done) & sleep 0.05; exit 0',
        copyOut: ['out'],
        verdicts: ['AC', 'FE'],
      },
    ],
  },
  {
    id: 122,
    name: 'compile and run at once, 16 in parallel',
    expected: '100 % AC',
    slow: true,
    attack: compileAndRun,
  },
];
