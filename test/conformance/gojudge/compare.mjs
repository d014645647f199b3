// What an answer has and what a case expects: a list of differences, empty when there are none.

/** A text, or `{ contains }`, or `{ matches }`. */
function textDiffers(what, got, expected) {
  const isSame =
    typeof expected === 'string'
      ? got === expected
      : typeof got === 'string' &&
        (expected.contains === undefined || got.includes(expected.contains)) &&
        (expected.matches === undefined || new RegExp(expected.matches).test(got));
  return isSame ? [] : [`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`];
}

function valueDiffers(what, got, expected) {
  return got === expected ? [] : [`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`];
}

function isOutside(what, ns, [low, high]) {
  const ms = ns / 1e6;
  return ms >= low && ms <= high ? [] : [`${what}: ${ms} ms, expected ${low} to ${high}`];
}

function fileErrorsDiffer(got = [], expected) {
  if (got.length !== expected.length) return [`fileError: ${JSON.stringify(got)}`];
  return expected.flatMap((entry, index) =>
    Object.entries(entry).flatMap(([key, value]) => textDiffers(`fileError.${key}`, got[index][key], value)),
  );
}

function resultDiffers(got, expected) {
  const { status, exitStatus, error, files = {}, fileError, timeMs, runTimeMs, noFiles = [] } = expected;
  return [
    ...valueDiffers('status', got.status, status),
    ...(exitStatus === undefined ? [] : valueDiffers('exitStatus', got.exitStatus, exitStatus)),
    ...(error === undefined ? [] : textDiffers('error', got.error, error)),
    ...['time', 'memory', 'runTime'].flatMap((key) =>
      expected[key] === undefined ? [] : valueDiffers(key, got[key], expected[key]),
    ),
    ...Object.entries(files).flatMap(([name, text]) => textDiffers(`files.${name}`, got.files?.[name], text)),
    ...noFiles.flatMap((name) => valueDiffers(`files.${name}`, got.files?.[name], undefined)),
    ...(fileError === undefined ? [] : fileErrorsDiffer(got.fileError, fileError)),
    ...(timeMs === undefined ? [] : isOutside('time', got.time, timeMs)),
    ...(runTimeMs === undefined ? [] : isOutside('runTime', got.runTime, runTimeMs)),
  ];
}

export function resultsDiffer(got, expected) {
  if (!Array.isArray(got) || got.length !== expected.length) return [`results: ${JSON.stringify(got)}`];
  return expected.flatMap((one, index) =>
    resultDiffers(got[index], one).map(
      (text) => `[${index}].${text} (${JSON.stringify(got[index]).slice(0, 300)})`,
    ),
  );
}

export function errorDiffers(got, { http, body }) {
  return [...valueDiffers('http', got.http, http), ...textDiffers('body', got.body, body)];
}

export { textDiffers };
