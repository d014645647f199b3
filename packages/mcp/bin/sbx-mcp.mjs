#!/usr/bin/env node
// Committed, so that package managers can link the command before anything is built.
try {
  await import('../dist/main.js');
} catch (error) {
  const isUnbuilt = error?.code === 'ERR_MODULE_NOT_FOUND' && error.url?.endsWith('/dist/main.js');
  const isShort = error?.code === 'EMFILE' || error?.code === 'ENFILE';
  if (!isUnbuilt && !isShort) throw error;
  const what = isUnbuilt
    ? 'this checkout is not built yet; run: npm run setup'
    : 'too many open files, raise the limit of this process (`ulimit -n 1024`, LimitNOFILE=)';
  process.stderr.write(`sbx-mcp: ${what}\n`);
  process.exitCode = 69;
}
