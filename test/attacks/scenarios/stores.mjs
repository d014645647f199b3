// Group F over HTTP: stored files, tokens, origins.
import { readdirSync } from 'node:fs';
import { exchange, openSocket } from '../harness/wire.mjs';
import { stillServes, withServer } from './requests.mjs';

const part = (filename, data, end = '\r\n--part--\r\n') =>
  `--part\r\nContent-Disposition: form-data; name="file"${filename === null ? '' : `; filename="${filename}"`}\r\n\r\n${data}${end}`;

const upload = ({ request }, body) =>
  request('/file', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=part' },
    body,
  });

export const fillStore = (context) =>
  withServer(context, ['-store-max-count', '100', '-store-max-size', '1m'], async (client) => {
    const problems = [];
    const statuses = new Map();
    for (let index = 0; index < 300; index += 1) {
      const { status } = await upload(client, part(`f${index}`, 'x'));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    if (statuses.get(200) !== 100 || statuses.get(500) !== 200)
      problems.push(`quota: ${JSON.stringify([...statuses])}`);
    const ids = Object.keys((await client.request('/file')).json());
    if (ids.length !== 100) problems.push(`${ids.length} files listed`);
    for (const id of ids) await client.request(`/file/${id}`, { method: 'DELETE' });
    const large = await upload(client, part('large', 'x'.repeat(2 ** 21)));
    if (large.status === 200) problems.push('more bytes than the quota were taken');
    return [...problems, ...(await badUploads(client, context.world)), ...(await stillServes(client))];
  });

const NAMES = ['../../x', '/etc/x', '', '.', '..', 'a\\..\\b', 'n'.repeat(10_000), '%2e%2e/x'];

async function badUploads(client, world) {
  const problems = [];
  for (const name of NAMES) {
    const { status, text } = await upload(client, part(name, 'x'));
    if (status >= 500 && text() === '') problems.push(`${name}: ${status}`);
    if (status === 200) await client.request(`/file/${JSON.parse(text())}`, { method: 'DELETE' });
  }
  const bodies = { 'no end': part('a', 'x', ''), 'no name': part(null, 'x'), garbage: '\0\0\0', empty: '' };
  for (const [name, body] of Object.entries(bodies)) {
    const { status } = await upload(client, body);
    if (status !== 400) problems.push(`${name}: ${status}`);
  }
  const outside = [world.folder, world.shown, '/', process.cwd()].filter((folder) =>
    readdirSync(folder).includes('x'),
  );
  return [...problems, ...outside.map((folder) => `a file was made in ${folder}`)];
}

/** Deleted and made anew under many runs: each has content that was there once, or is refused. */
export async function shareFiles({ target }) {
  const problems = [];
  for (let round = 0; round < 3; round += 1) {
    const id = await target.store('first');
    const use = (mode) =>
      target.run(
        mode === 0
          ? { argv: ['/bin/cat', 'f'], gojudge: { copyIn: { f: { fileId: id } } } }
          : { argv: ['/bin/cat'], gojudge: target.stdinFile(id) },
      );
    const uses = Array.from({ length: 50 }, (_, index) => use(index % 2));
    await target.request(`/file/${id}`, { method: 'DELETE' });
    const again = await target.store('second');
    const odd = (await Promise.all(uses)).filter(
      ({ verdict, stdout }) =>
        !(verdict === 'AC' && stdout === 'first') && verdict !== 'REFUSED' && verdict !== 'FE',
    );
    problems.push(
      ...odd.slice(0, 2).map(({ verdict, stdout, message }) => `${verdict} ${stdout} ${message}`),
    );
    await target.request(`/file/${again}`, { method: 'DELETE' });
  }
  return problems;
}

const TOKEN = 'T0ken-of-the-catalogue';
const WRONG = [
  '',
  TOKEN.slice(0, -1),
  `${TOKEN}x`,
  TOKEN.toLowerCase(),
  'x'.repeat(TOKEN.length),
  `${TOKEN} `,
];

export const guessTokens = (context) =>
  withServer(context, ['-auth-token', TOKEN], async ({ request, url, log }) => {
    const problems = [];
    const status = async (authorization) =>
      (await request('/file', { headers: authorization === null ? {} : { authorization } })).status;
    for (const guess of [
      null,
      ...WRONG.map((token) => `Bearer ${token}`),
      TOKEN,
      `bearer ${TOKEN}`,
      `Basic ${TOKEN}`,
    ]) {
      // Trailing space is taken off by every HTTP parser.
      const expected = guess === `Bearer ${TOKEN} ` ? 200 : 401;
      const got = await status(guess);
      if (got !== expected) problems.push(`${guess}: ${got}`);
    }
    if ((await status(`Bearer ${TOKEN}`)) !== 200) problems.push('the token itself is refused');
    const opened = await openSocket(url, '/ws', { headers: { authorization: 'Bearer x' } }).then(
      () => true,
      () => false,
    );
    if (opened) problems.push('a WebSocket opens with a wrong token');
    const lines = log.join('\n');
    if (lines.includes(TOKEN) || lines.includes(TOKEN.slice(0, -1))) problems.push('the token is in the log');
    return problems;
  });

/** What a page of another origin can send; `flags` switch the check on. */
export const crossOrigin = (flags) => (context) =>
  withServer(context, flags, checkOrigins).catch((error) => {
    if (/flag provided but not defined/.test(error.message))
      return ['no option refuses pages of other origins'];
    throw error;
  });

async function checkOrigins({ url, request }) {
  const problems = [];
  const foreign = await openSocket(url, '/ws', { headers: { origin: 'http://evil.example' } }).then(
    ({ socket }) => socket.terminate() ?? true,
    () => false,
  );
  if (foreign) problems.push('a WebSocket of another origin opens');
  const own = await openSocket(url, '/ws').then(
    ({ socket }) => socket.terminate() ?? true,
    () => false,
  );
  if (!own) problems.push('a WebSocket without origin does not open');
  const post = await request('/run', {
    method: 'POST',
    headers: { origin: 'http://evil.example' },
    body: '{}',
  });
  if (post.status !== 403) problems.push(`a form of another origin: ${post.status}`);
  const rebound = await exchange(
    url,
    'GET /file HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  );
  if (rebound.status !== 403) problems.push(`a foreign Host: ${rebound.status}`);
  return problems;
}
