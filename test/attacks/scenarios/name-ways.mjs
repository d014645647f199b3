/**
 * Ways to make a name lead out of a sandbox, as a table: each gives bases that would be the host's root, were
 * they followed by somebody who stands outside or holds something that is. `givers` puts a base into a
 * caller's own words or into the sandbox.
 */
const UP = '/..'.repeat(8);

/** More than init, keeper or a child before its exec ever had. */
const NUMBERS = Array.from({ length: 64 }, (_, number) => number);
const FEWER = NUMBERS.slice(0, 32);
const PIDS = [1, 2, 3];

export const WAYS = [
  { way: 'descriptor', bases: NUMBERS.map((fd) => `/proc/self/fd/${fd}${UP}`) },
  { way: 'descriptor of the thread', bases: FEWER.map((fd) => `/proc/thread-self/fd/${fd}${UP}`) },
  { way: 'descriptor by /dev', bases: FEWER.map((fd) => `/dev/fd/${fd}${UP}`) },
  { way: 'descriptor of init', bases: FEWER.map((fd) => `/proc/1/fd/${fd}${UP}`) },
  { way: 'standard streams', bases: ['stdin', 'stdout', 'stderr'].map((name) => `/dev/${name}${UP}`) },
  { way: 'root', bases: ['self', 'thread-self', 'self/task/1', ...PIDS].map((who) => `/proc/${who}/root`) },
  {
    way: 'folder',
    bases: ['self', 'thread-self', 'self/task/1', ...PIDS].map((who) => `/proc/${who}/cwd${UP}`),
  },
  {
    way: 'root and up',
    bases: ['/proc/self/root/..', `/proc/self/root${UP}`, `/proc/self/cwd/../proc/self/root${UP}`],
  },
  { way: 'executable', bases: [`/proc/self/exe${UP}`, `/proc/1/exe${UP}`, `/proc/self/map_files${UP}`] },
  {
    way: 'walk up',
    bases: ['..', '../../../../../../../../..', `/w${UP}`, `/tmp${UP}`, `/usr/lib${UP}`, `/dev/shm${UP}`],
  },
  { way: 'absolute', bases: ['/', '//', '/.'] },
];

/** Of a program that swaps while names are resolved: what a link then says. */
export const SWAPPED = [
  '/',
  '/proc/self/root',
  `/proc/self/cwd${UP}`,
  ...NUMBERS.slice(3, 24).map((fd) => `/proc/self/fd/${fd}${UP}`),
];

const allBases = WAYS.flatMap(({ way, bases }) => bases.map((base) => ({ way, base })));

/** The caller's own words. */
export const byCaller = () => allBases.map(({ way, base }) => ({ way: `${way}, by the caller`, base }));

const CHAIN = 3;

/**
 * Links that a hostile program makes: `d<N>` straight there, `c<N>` through others. → the script, its
 * arguments, and the bases.
 */
export function byLinks() {
  const script = `
    i=0
    for base; do
      ln -s "$base" d$i
      [ $((i % ${CHAIN})) = 0 ] && { ln -s d$i e$i; ln -s ./e$i f$i; mkdir -p g$i; ln -s ../f$i g$i/c; }
      i=$((i + 1))
    done`;
  const bases = allBases.flatMap(({ way, base }, index) => [
    { way: `${way}, by a link (${base})`, base: `d${index}` },
    // Every link more is a way of its own for who follows links by hand.
    ...(index % CHAIN === 0 ? [{ way: `${way}, by a chain of links (${base})`, base: `g${index}/c` }] : []),
  ]);
  return { argv: ['/bin/sh', '-c', script, 'sh', ...allBases.map(({ base }) => base)], bases };
}

/** As copied-in links. */
export const linkFiles = (base) => ({ d: { symlink: base }, e: { symlink: 'd' } });
