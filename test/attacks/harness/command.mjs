// The command line: which entries, against what.
import { parseArgs } from 'node:util';
import { ENTRIES, GROUPS } from './catalogue.mjs';

const USAGE = `usage: npm run attacks -- [--json] [--only 1,2,30-40] [--group A,B] [--target core|gojudge|all]\n`;
const TARGETS = { core: ['core'], gojudge: ['gojudge'], all: ['core', 'gojudge'] };
const OPTIONS = {
  json: { type: 'boolean', default: false },
  only: { type: 'string' },
  group: { type: 'string' },
  target: { type: 'string', default: 'all' },
};

function idsOf(text) {
  return text.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    if (!(first >= 1 && last >= first && last <= 999))
      throw new Error(`--only: ${part} is no number or range`);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** → `{ json, ids, targets }`; ends the process with the usage when the command makes no sense. */
export function readCommand(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    const groups = values.group?.split(',') ?? Object.keys(GROUPS);
    if (!Object.hasOwn(TARGETS, values.target)) throw new Error(`--target: ${values.target}`);
    if (!groups.every((group) => Object.hasOwn(GROUPS, group))) throw new Error(`--group: ${values.group}`);
    const wanted = values.only === undefined ? null : new Set(idsOf(values.only));
    const chosen = ENTRIES.filter(({ id, group }) => groups.includes(group) && (wanted?.has(id) ?? true));
    return { json: values.json, ids: chosen.map(({ id }) => id), targets: TARGETS[values.target] };
  } catch (error) {
    process.stderr.write(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}
