// Who may import whom. docs/architecture.md draws the same picture.

/** Each package, and the other packages of ours that it may import, at their index. Any `node:*` besides. */
export const PACKAGE_MAY_IMPORT: Record<string, readonly string[]> = {
  adapters: ['@sbx/core'],
  cluster: ['@sbx/core', '@sbx/languages', '@sbx/serving'],
  console: [],
  core: ['@sbx/shared'],
  'fathom-client': ['@sbx/shared'],
  'fathom-server': [
    '@sbx/core',
    '@sbx/fathom-client/schemas',
    '@sbx/fathom-client/wire',
    '@sbx/languages',
    '@sbx/serving',
  ],
  'fifo-protocol': ['@sbx/shared'],
  'fifo-client': ['@sbx/fifo-protocol'],
  'gojudge-client': ['@sbx/shared'],
  'gojudge-server': ['@sbx/core', '@sbx/gojudge-client/wire', '@sbx/serving', '@sbx/shared'],
  languages: ['@sbx/core'],
  mcp: ['@sbx/core', '@sbx/languages', '@sbx/serving'],
  server: [
    '@sbx/console',
    '@sbx/console/wire',
    '@sbx/core',
    '@sbx/fathom-server',
    '@sbx/gojudge-server',
    '@sbx/languages',
    '@sbx/mcp',
    '@sbx/serving',
  ],
  serving: ['@sbx/core'],
  shared: [],
  cli: [
    '@sbx/cluster',
    '@sbx/fifo-client',
    '@sbx/core',
    '@sbx/fathom-client/conformance',
    '@sbx/fathom-server',
    '@sbx/fifo-protocol/server',
    '@sbx/gojudge-server/command',
    '@sbx/languages',
    '@sbx/mcp/command',
    '@sbx/server',
    '@sbx/serving',
  ],
};

/**
 * The storeys of a package, ground floor first. A file imports from its own storey and those below it, never upwards, types included.
 * An entry is a file or a folder of packages/NAME/src; the longest one that fits a file counts.
 */
export const STOREYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  cluster: [
    ['names.ts', 'clock.ts', 'errors.ts'],
    ['wire/envelope.ts', 'wire/blob.ts', 'wire/notice.ts', 'wire/record.ts'],
    ['links.ts'],
    ['wire/'],
    ['queue/', 'session/', 'contents/'],
    ['submit/', 'work/'],
    ['nats/', 'testing/'],
    ['engine/', 'worker/'],
    ['status.ts'],
    ['index.ts'],
  ],
  core: [
    [
      'types/',
      'error-codes.ts',
      'errno.ts',
      'error-text.ts',
      'errors.ts',
      'sbx-error.ts',
      'owner.ts',
      'prebuilt.ts',
      'native/errno.ts',
      'native/row.ts',
      'native/tables.ts',
      'native/records.ts',
      'streams/output.ts',
    ],
    ['options/'],
    ['native/'],
    ['streams/', 'cgroup/', 'files/', 'root/'],
    ['pool/'],
    ['engine/'],
    ['run/stdio/'],
    ['run/'],
    ['warm/'],
    ['public/'],
    ['index.ts'],
  ],
  'fathom-server': [
    ['errors.ts', 'admission.ts'],
    ['options.ts', 'metrics.ts', 'execution/'],
    ['connection/', 'http/', 'runtime.ts'],
    ['server.ts'],
    ['index.ts'],
  ],
  'fifo-protocol': [
    ['errors.ts', 'names.ts', 'state.ts', 'reply.ts'],
    ['known-options.ts', 'legacy.ts', 'request.ts'],
    ['index.ts'],
    ['server/'],
  ],
  'gojudge-server': [
    ['byte-order.ts', 'errno.ts', 'errors.ts', 'process/listen.ts', 'process/spare-memory.ts', 'version.ts'],
    ['store/', 'judge/job.ts', 'judge/program-result.ts', 'http/connection/'],
    ['wire/'],
    ['judge/'],
    ['former-names.ts', 'options.ts'],
    ['config/'],
    ['metrics/metrics.ts'],
    ['open.ts'],
    ['metrics/'],
    ['http/request-path.ts', 'http/request-context.ts', 'http/responses.ts', 'http/entry.ts'],
    ['http/download/', 'http/upload/', 'http/transport/'],
    ['http/transport/node/send.ts'],
    ['http/handlers/', 'ws/'],
    ['http/routes.ts'],
    ['http/transport/node/', 'http/transport/fast-path/'],
    ['server.ts'],
    ['process/'],
    ['index.ts', 'main.ts'],
  ],
  server: [['options.ts'], ['engine.ts', 'parts/'], ['live/', 'http/'], ['server.ts'], ['index.ts']],
  mcp: [
    ['options.ts', 'command-options.ts'],
    ['sandboxes/'],
    ['tools/', 'resources.ts'],
    ['mcp-server.ts', 'http/'],
    ['server.ts'],
    ['command.ts'],
    ['index.ts', 'main.ts'],
  ],
};

/** Files that import each other in a circle, types counted, of all packages: classes and functions whose types give and take one another. */
export const CIRCLES: readonly (readonly string[])[] = [
  [
    'core/src/public/engine.ts',
    'core/src/public/options.ts',
    'core/src/public/run-many.ts',
    'core/src/public/sandbox.ts',
  ],
];

/** Folders of native/, what each may include of the others, and whether it may know Node. */
export const NATIVE_MAY_INCLUDE: Record<string, { folders: readonly string[]; node: boolean }> = {
  common: { folders: [], node: false },
  plan: { folders: ['common'], node: false },
  addon: { folders: ['common', 'plan'], node: true },
  helper: { folders: ['common', 'plan'], node: false },
  test: { folders: ['common', 'plan', 'helper', 'addon'], node: false },
  fuzz: { folders: ['common', 'helper', 'test'], node: false },
};
