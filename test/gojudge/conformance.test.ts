// The corpus, which has the checklist of go-judge's own integration tests in it, over every transport.
import { describe, expect, test } from 'vitest';
import { readCorpus, runCase, transportsOf } from '../conformance/gojudge/run.mjs';
import { useServer } from './server.js';

const server = useServer({ srcPrefix: ['/'] });
const cases = readCorpus().flatMap((one) =>
  transportsOf(one).map((transport) => ({ ...one, one, transport })),
);

describe.each(cases)('$file over $transport', ({ one, transport }) => {
  test(one.name, async () => {
    expect(await runCase(server, one, transport)).toEqual([]);
  });
});
