#!/usr/bin/env node
// Committed, so that package managers can link the command before anything is built.
try {
  await import('../dist/main.js');
} catch (error) {
  const isUnbuilt = error?.code === 'ERR_MODULE_NOT_FOUND' && error.url?.endsWith('/dist/main.js');
  if (!isUnbuilt) throw error;
  process.stderr.write('sbx-gojudge: this checkout is not built yet; run: npm run setup\n');
  process.exitCode = 69;
}
