/** What a job may bring along: files of it are fetched before it starts, and stay here until it is over. */
import { InvalidOptionsError } from '@sbx/core';
import type { Blob } from '../wire/blob.js';
import type { WireInput, WireProgram, WireRequest } from '../wire/request.js';

const HINT =
  'Give fewer contents, or smaller ones; one that is named twice counts twice. The bound is inputBytesMax of the worker (--max-input).';

/**
 * Throws `InvalidOptionsError`, with the first content that does not fit. Each counts wherever it is named:
 * the engine makes a copy for each file.
 */
export function checkInputs(request: WireRequest, bytesMax: number): void {
  const contents = contentsOf(request);
  let bytes = 0;
  const beyond = contents.find(([, blob]) => {
    bytes += sizeOf(blob);
    return bytes > bytesMax;
  });
  if (beyond === undefined) return;
  const got = `${contents.reduce((sum, [, blob]) => sum + sizeOf(blob), 0)} bytes`;
  const expected = `must be at most ${bytesMax} bytes on this worker, together with the other contents of the job`;
  throw new InvalidOptionsError({ field: beyond[0], rule: 'ceiling', expected, got, hint: HINT });
}

function sizeOf(blob: Blob): number {
  return 'at' in blob ? blob.at[1] : blob.sizeBytes;
}

/** With their names, as the caller gave them. */
function contentsOf(request: WireRequest): [string, Blob][] {
  if (request.kind !== 'group') return programContents(request.program, 'options');
  return request.programs.flatMap((program, index) =>
    program === null ? [] : programContents(program, `request.programs[${index}]`),
  );
}

function programContents({ stdin, fds, pty, files }: WireProgram, at: string): [string, Blob][] {
  const inputs: [string, WireInput | undefined][] = [
    [`${at}.stdin`, stdin],
    [`${at}.pty.input`, pty?.input],
    ...(fds ?? []).map(([fd, spec]): [string, WireInput | undefined] => [
      `${at}.fds[${fd}].input`,
      'input' in spec ? spec.input : undefined,
    ]),
  ];
  const contents = inputs.flatMap(([field, input]): [string, Blob][] =>
    typeof input === 'object' && 'blob' in input ? [[field, input.blob]] : [],
  );
  for (const [path, file] of files ?? []) {
    if ('blob' in file) contents.push([`${at}.files[${JSON.stringify(path)}]`, file.blob]);
  }
  return contents;
}
