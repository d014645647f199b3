// What holds for each prebuilt pair, whatever machine looks at it.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDynamic, machineOf, namedIn, neededLibraries, newestSymbolVersion } from './elf.mjs';

/** Debian 10, RHEL 8 and everything newer. */
const GLIBC_FLOOR = [2, 28];

/** Functions that musl got with 1.2.2 or later: Alpine 3.13 is the floor. */
const TOO_NEW_FOR_MUSL = ['_Fork', 'gettid', 'preadv2', 'pwritev2', 'qsort_r', 'reallocarray', 'statx'];

/** What may be loaded beside the addon: libraries of the C library's own package. The C++ one is inside. */
const LIBRARIES = {
  glibc: /^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|ld-linux-.*)$/,
  musl: /^libc\.so$/,
};

function expect(holds, message) {
  if (!holds) throw new Error(message);
}

function checkGlibc(addon) {
  const [major, minor] = newestSymbolVersion(addon, 'GLIBC') ?? [0, 0];
  const note = `needs glibc ${major}.${minor}`;
  expect(major === GLIBC_FLOOR[0] && minor <= GLIBC_FLOOR[1], `${note}, floor ${GLIBC_FLOOR.join('.')}`);
  return note;
}

function checkMusl(addon) {
  const versions = newestSymbolVersion(addon, 'GLIBC');
  expect(versions === null, `names symbols of glibc ${versions?.join('.')}`);
  const tooNew = namedIn(addon, TOO_NEW_FOR_MUSL);
  expect(tooNew.length === 0, `needs functions that musl 1.2.1 has not: ${tooNew.join(', ')}`);
  return 'needs musl 1.2';
}

/** Throws an error that says what does not hold, else → a note. */
export function checkAddon({ platform, machine }, folder) {
  const addon = join(folder, 'sbx.node');
  expect(machineOf(addon) === machine, `is for ${machineOf(addon)}`);
  const libc = platform.split('-').at(-1);
  const foreign = neededLibraries(addon).filter((name) => !LIBRARIES[libc].test(name));
  expect(foreign.length === 0, `needs ${foreign.join(', ')}`);
  return libc === 'musl' ? checkMusl(addon) : checkGlibc(addon);
}

export function checkHelper({ machine }, folder) {
  const helper = join(folder, 'sbx-helper');
  expect(machineOf(helper) === machine, `is for ${machineOf(helper)}`);
  expect(!isDynamic(helper), 'must be linked statically');
  const executable = (statSync(helper).mode & 0o111) === 0o111;
  expect(executable, 'must be executable: see executableFiles in package.json');
  return 'static, executable';
}
