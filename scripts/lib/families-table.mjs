// What programs of each family of languages may call under the strict filter, from the text of
// native/plan/families.cc: arrays of calls, each under a comment that says what they are, and the families of
// each array.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

const FILE = 'native/plan/families.cc';
const ALL = ['native', 'python', 'node', 'jvm', 'beam', 'shell'];

/** `[{ what, families, calls }]` in the order of the table. */
export function familyGroups() {
  const text = readFileSync(join(root, FILE), 'utf8');
  const arrays = new Map();
  for (const [, comment, name, body] of text.matchAll(
    /((?:\/\/ .*\n)+)constexpr uint16_t (k\w+)\[\] = \{([\s\S]*?)\};/g,
  )) {
    const what = comment
      .replace(/^\/\/ /gm, '')
      .trim()
      .replace(/\n/g, ' ')
      .replace(/\.$/, '');
    arrays.set(name, { what, calls: [...body.matchAll(/CALL\((\w+)\)/g)].map(([, call]) => call) });
  }
  const groups = [...text.matchAll(/^ {4}Group\((k\w+), (.+)\),$/gm)].map(([, name, families]) => {
    const array = arrays.get(name);
    if (array === undefined) throw new Error(`${FILE}: ${name} is no array under a comment`);
    return { ...array, families: familiesOf(families) };
  });
  if (groups.length === 0 || groups.length !== arrays.size)
    throw new Error(`${FILE}: ${arrays.size} arrays and ${groups.length} groups`);
  return groups;
}

/** `kOfAll & ~kOfShell`, or families with `|` between. */
function familiesOf(text) {
  const named = [...text.matchAll(/(~?)kOf(\w+)/g)].map(([, not, name]) => [not !== '', name.toLowerCase()]);
  if (named[0][1] !== 'all') return named.map(([, name]) => name);
  const left = named.filter(([not]) => not).map(([, name]) => name);
  return ALL.filter((name) => !left.includes(name));
}

/** For people. */
export function familiesText(families) {
  return families.length === ALL.length ? 'all' : families.map((name) => `\`${name}\``).join(' ');
}
