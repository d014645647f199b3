/**
 * The places where a client of a server names something, each against every way to lead out (name-ways.mjs).
 * There are no sessions: links come by copy-in, or from the program whose files are taken out afterwards.
 */

import { CONDITIONS } from '../harness/conditions.mjs';
import { execute, runOnce } from '../harness/fathom-target.mjs';
import { fromResult } from '../harness/gojudge-target.mjs';
import { Outside } from '../harness/outside.mjs';
import { WAYS } from './name-ways.mjs';

const AT_ONCE = 4;
const ENV = ['PATH=/usr/local/bin:/usr/bin:/bin'];
const pipe = (name) => ({ name, max: 4096, pipe: true });

const INSIDE = 'INSIDE';
/** The same names within the sandbox. */
const insideFiles = (folder) => ({
  [`in/${folder}/marker`]: { content: INSIDE },
  [`in/${folder}/run`]: { content: `#!/bin/sh\necho ${INSIDE}\n` },
});

const LINKS = ['/bin/sh', '-c', 'ln -s "$1" d; ln -s d e', 'sh'];

/** Of go-judge: a `cmd` that uses `base/folder/…`. `links`: copied in, so that `e` is the base. */
const CMDS = {
  'program of a cmd': ({ base, folder, links }) => ({ args: [`${base}/${folder}/run`], copyIn: links }),
  'PATH of a cmd': ({ base, folder, links }) => ({
    args: ['run'],
    env: [`PATH=${base}/${folder}`],
    copyIn: links,
  }),
  'copyIn of a cmd': ({ base, folder, links }) => ({
    args: ['/bin/cat', `${base}/${folder}/victim`, `${base}/${folder}/marker`],
    copyIn: {
      ...links,
      [`${base}/${folder}/victim`]: { content: 'x' },
      [`${base}/${folder}/new/f`]: { content: 'x' },
    },
  }),
  'link copied in by a cmd': ({ base, folder, links }) => ({
    args: ['/bin/ls', '-R', 'in'],
    copyIn: { ...links, [`${base}/${folder}/planted`]: { symlink: 'x' } },
  }),
  'copyOut of a cmd': ({ base, folder, target, inside }) => ({
    args: [...LINKS, target ?? base],
    copyIn: inside,
    copyOut: [`${base}/${folder}/marker`, `${base}/${folder}/link?`],
  }),
  'copyOutCached of a cmd': ({ base, folder, target, inside }) => ({
    args: [...LINKS, target ?? base],
    copyIn: inside,
    copyOutCached: [`${base}/${folder}/marker`],
  }),
  'collector of a cmd': ({ base, folder, links }) => ({
    args: ['/bin/echo', 'INSIDE'],
    files: [{ content: '' }, { name: `${base}/${folder}/victim`, max: 4096 }, pipe('stderr')],
    copyIn: links,
  }),
};

async function gojudgeAttempt({ target }, make, scope) {
  const cmd = {
    env: ENV,
    files: [{ content: '' }, pipe('stdout'), pipe('stderr')],
    cpuLimit: 2e9,
    clockLimit: 5e9,
    memoryLimit: CONDITIONS.memoryBytes,
    procLimit: 16,
    ...make(scope),
  };
  const response = await target.post({ cmd: [cmd] });
  const text = response.text();
  if (response.status !== 200) return { text, word: `HTTP ${response.status}` };
  const [result] = JSON.parse(text);
  const stored = [];
  for (const id of Object.values(result.fileIds ?? {})) {
    stored.push((await target.request(`/file/${id}`)).text());
    await target.request(`/file/${id}`, { method: 'DELETE' });
  }
  const { verdict, message } = fromResult(result);
  // As go-judge, a start that the kernel refuses is an Internal Error, which says why.
  const word = verdict === 'IE' && /: execve: /.test(message) ? 'REFUSED' : verdict;
  return { text: `${text}\n${stored.join('\n')}`, word, message };
}

/**
 * Of Fathom: nothing is named but by the environment, where the server's interpreters must not be looked for.
 */
const EXECUTIONS = {
  'PATH of an execution': ({ base, folder, number }) =>
    execute(`name-${number}`, 'echo ran', { env: { PATH: `${base}/${folder}` } }),
};

async function fathomAttempt({ target }, make, scope) {
  const { verdict, stdout, stderr, message } = await runOnce(target.url, make(scope));
  return { text: `${stdout}\n${stderr}\n${message}`, word: verdict, message };
}

async function tryAll(bases, work) {
  const left = [...bases];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** It does what it is for. */
async function control(context, make, folder) {
  const inside = insideFiles(folder);
  const { text } = await gojudgeAttempt(context, make, {
    base: 'in',
    folder,
    links: inside,
    inside,
    number: 0,
  });
  const works = [INSIDE, 'planted'].some((word) => text.includes(word));
  return works ? [] : [`does nothing even within the sandbox: ${text.slice(0, 300)}`];
}

const leadOut = (attempt, make) => async (context) => {
  const outside = new Outside();
  const problems = [];
  const words = new Map();
  let number = 0;
  const one = async (way, scope) => {
    const {
      text,
      word,
      message = '',
    } = await attempt(context, make, { folder: outside.folders[0].slice(1), ...scope, number: number++ });
    words.set(word, (words.get(word) ?? 0) + 1);
    const shown = outside.shown(text) || (word === 'IE' ? `IE: ${message}` : '');
    if (shown) problems.push(`${way}: ${shown}`);
  };
  try {
    if (attempt === gojudgeAttempt)
      problems.push(...(await control(context, make, outside.folders[0].slice(1))));
    const bases = WAYS.flatMap((row) => row.bases.map((base) => [row.way, base]));
    await tryAll(bases, ([way, base]) => one(`${way}, by the client ${base}`, { base, links: {} }));
    const linked = (base) => ({ d: { symlink: base }, e: { symlink: 'd' } });
    await tryAll(bases, ([way, base]) =>
      one(`${way}, by a link ${base}`, { base: 'e', target: base, links: linked(base) }),
    );
    problems.push(...outside.changes());
  } finally {
    outside.remove();
  }
  context.note([...words].map(([word, count]) => `${count} × ${word}`).join(', '));
  return problems.slice(0, 6);
};

const rows = (table, target, attempt) =>
  Object.entries(table).map(([place, make]) => ({ place, target, attack: leadOut(attempt, make) }));

export const WIRE_PLACES = [
  ...rows(CMDS, 'gojudge', gojudgeAttempt),
  ...rows(EXECUTIONS, 'fathom', fathomAttempt),
];
