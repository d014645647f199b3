// Runs the corpus against a server by URL, over each transport that a case makes sense on.
import { readdirSync, readFileSync } from 'node:fs';
import { differs, errorDiffers, resultsDiffer } from './compare.mjs';
import { expandRequest } from './expand.mjs';
import { runSteps } from './steps.mjs';
import { headersOf, TRANSPORTS } from './transports.mjs';

const corpus = new URL('./corpus/', import.meta.url);

/**
 * Every case, with the name of its file. `isOriginal`: as go-judge itself answers; cases about deviations of
 * ours say that under `original`, and `original: null` where it has no answer to give.
 */
export function readCorpus({ isOriginal = false } = {}) {
  return readdirSync(corpus)
    .sort()
    .flatMap((file) => {
      const cases = JSON.parse(readFileSync(new URL(file, corpus), 'utf8'));
      return cases.map((one) => ({ file: file.replace('.json', ''), ...one }));
    })
    .filter((one) => !isOriginal || one.original !== null)
    .map(({ original, ...one }) => (isOriginal && original !== undefined ? { ...one, ...original } : one));
}

/** Cases about the body itself are REST's; a request without `cmd` means something else on sockets. */
export function transportsOf(one) {
  if (one.steps !== undefined) return [one.socket ?? 'http'];
  return one.http === undefined && one.raw === undefined ? ['rest', 'ws', 'stream'] : ['rest'];
}

/**
 * Differences, empty when the server answers as expected. `tries`: for what go-judge itself gets wrong now
 * and then.
 */
export async function runCase(server, one, transport) {
  for (let left = one.tries ?? 1; ; left -= 1) {
    const differences = await runOnce(server, one, transport);
    if (differences.length === 0 || left === 1) return differences;
  }
}

async function runOnce(server, one, transport) {
  if (one.steps !== undefined) return runSteps(server, one);
  const got = await TRANSPORTS[transport](server, one.raw ?? JSON.stringify(expandRequest(one.request)));
  if (one.http !== undefined) return errorDiffers(got, one);
  const differences = resultsDiffer(got.results, one.results);
  return [...differences, ...(await storedDiffer(server, got.results ?? [], one.results))];
}

/** Contents of stored files, which are deleted afterwards. */
async function storedDiffer(server, got, expected) {
  const headers = headersOf(server.token);
  const differences = [];
  for (const [index, { fileIds = {} }] of got.entries()) {
    const wanted = expected[index]?.fileIds ?? {};
    for (const name of Object.keys(wanted)) {
      if (fileIds[name] === undefined) differences.push(`[${index}].fileIds.${name} is missing`);
    }
    for (const [name, id] of Object.entries(fileIds)) {
      const response = await fetch(`${server.url}/file/${id}`, { headers });
      const text = await response.text();
      if (wanted[name] !== undefined) differences.push(...differs(`stored ${name}`, text, wanted[name]));
      const deleted = await fetch(`${server.url}/file/${id}`, { method: 'DELETE', headers });
      if (deleted.status !== 200) differences.push(`deleting ${name}: ${deleted.status}`);
    }
  }
  return differences;
}
