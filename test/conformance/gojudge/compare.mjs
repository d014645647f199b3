// What an answer has and what a case expects: a list of differences, empty when there are none.

/**
 * Objects expected in part, lists in full, text as it is or by `{ contains }` and `{ matches }`; `null`: must
 * be absent.
 */
export function differs(what, got, expected) {
  if (expected === null) return got === undefined || got === null ? [] : [told(what, got, 'nothing')];
  if (typeof expected !== 'object') return got === expected ? [] : [told(what, got, expected)];
  if (Array.isArray(expected)) return listDiffers(what, got, expected);
  if ('contains' in expected || 'matches' in expected) return textDiffers(what, got, expected);
  if (typeof got !== 'object' || got === null) return [told(what, got, expected)];
  return Object.entries(expected).flatMap(([key, value]) => differs(`${what}.${key}`, got[key], value));
}

function listDiffers(what, got, expected) {
  if (!Array.isArray(got) || got.length !== expected.length) return [told(what, got, expected)];
  return expected.flatMap((one, index) => differs(`${what}[${index}]`, got[index], one));
}

function textDiffers(what, got, expected) {
  const isSame =
    typeof got === 'string' &&
    (expected.contains === undefined || got.includes(expected.contains)) &&
    (expected.matches === undefined || new RegExp(expected.matches).test(got));
  return isSame ? [] : [told(what, got, expected)];
}

function told(what, got, expected) {
  return `${what}: ${short(got)}, expected ${short(expected)}`;
}

const short = (value) => `${JSON.stringify(value)}`.slice(0, 300);

function isOutside(what, ns, [low, high]) {
  const ms = ns / 1e6;
  return ms >= low && ms <= high ? [] : [`${what}: ${ms} ms, expected ${low} to ${high}`];
}

/** Entries come in the order in which they went wrong, so any order will do. */
function fileErrorsDiffer(got = [], expected) {
  const byName = (one, other) => (one.name < other.name ? -1 : 1);
  return differs('fileError', [...got].sort(byName), [...expected].sort(byName));
}

function resultDiffers(got, expected) {
  const { fileError, timeMs, runTimeMs, noFiles = [], fileIds: _fileIds, ...rest } = expected;
  return [
    ...Object.entries(rest).flatMap(([key, value]) => differs(key, got[key], value)),
    ...noFiles.flatMap((name) => differs(`files.${name}`, got.files?.[name], null)),
    ...(fileError === undefined ? [] : fileErrorsDiffer(got.fileError, fileError)),
    ...(timeMs === undefined ? [] : isOutside('time', got.time, timeMs)),
    ...(runTimeMs === undefined ? [] : isOutside('runTime', got.runTime, runTimeMs)),
  ];
}

export function resultsDiffer(got, expected) {
  if (!Array.isArray(got) || got.length !== expected.length) return [`results: ${JSON.stringify(got)}`];
  return expected.flatMap((one, index) =>
    resultDiffers(got[index], one).map((text) => `[${index}].${text} (${short(got[index])})`),
  );
}

export function errorDiffers(got, { http, body }) {
  return [...differs('http', got.http, http), ...differs('body', got.body, body)];
}
