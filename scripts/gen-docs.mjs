// Pages of docs/ that are made from tables in the sources. `--write` makes them; without it, a page that is
// not up to date is an error.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '@sbx/core';
import { root } from './lib/paths.mjs';

function errorsPage() {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, row]) => `| \`${code}\` | ${row.class} | ${row.retryable ? 'yes' : 'no'} | ${row.meaning} |`,
  );
  return `<!-- Made from packages/core/src/error-codes.ts by scripts/gen-docs.mjs; edit the table there, then run: npm run docs -->
# Errors

What a program did is a result, never an error: see [limits](limits.md). Everything that a public function throws or
rejects with is an \`SbxError\` whose \`code\` is one of these and stays the same between versions; an abort alone
rejects with the reason of the caller's own signal. \`isSbxError(error)\` tells them from other errors, and
\`retryable\` says whether the same call may succeed later without a change by the caller.

| Code | Class | Retryable | Meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

const PAGES = { 'docs/errors.md': errorsPage };

const write = process.argv.includes('--write');
for (const [file, make] of Object.entries(PAGES)) {
  const path = join(root, file);
  const page = make();
  if (write) {
    writeFileSync(path, page);
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== page) {
    console.error(`${file} is not what the sources say. Run: npm run docs`);
    process.exitCode = 1;
  }
}
