// Where each file that decides something has a unit test beside it, and which files need none.

export const TESTED_FOLDERS: readonly string[] = [
  'packages/core/src/pool/',
  'packages/core/src/run/',
  'packages/core/src/warm/',
  'packages/fathom-server/src/',
  'packages/gojudge-server/src/http/',
  'packages/gojudge-server/src/judge/',
  'packages/gojudge-server/src/store/',
];

const TYPES = 'only types';
const EVENTS = 'only events: what it is given is published as it is';
const FAKE = 'what unit tests have in the place of the addon';
const INDEX = 'only exports';

/** Files without a test beside them, with the reason. */
export const WITHOUT_UNIT_TEST: Readonly<Record<string, string>> = {
  'packages/core/src/pool/diagnostics.ts': EVENTS,
  'packages/core/src/pool/fake-native.ts': FAKE,
  'packages/core/src/run/connections.ts': 'in test/core/ports.test.ts: it is all sockets',
  'packages/core/src/run/diagnostics.ts': EVENTS,
  'packages/fathom-server/src/index.ts': INDEX,
  'packages/gojudge-server/src/http/request-context.ts': TYPES,
  'packages/gojudge-server/src/http/upload/multipart-parts.ts':
    'in multipart.test.ts, which reads parts by it',
  'packages/gojudge-server/src/judge/job.ts': TYPES,
  'packages/gojudge-server/src/judge/scope.ts': TYPES,
  'packages/gojudge-server/src/judge/settings.ts': TYPES,
};
