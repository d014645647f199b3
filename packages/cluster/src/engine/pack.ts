/**
 * Options of a call to a request that travels. What cannot leave this machine is refused by name, before
 * anything is sent; ranges and combinations are checked by the worker's engine, as on one machine.
 */
import {
  type Content,
  type CopyOut,
  type Environment,
  type FdSpec,
  type FileInput,
  type InputSpec,
  InvalidOptionsError,
  type OutputSpec,
  type PtyOptions,
  type RunnerOptions,
} from '@sbx/core';
import type { ContentWriter } from '../contents/writer.js';
import type { WireFile, WireInput, WireOutput, WireProgram } from '../wire/request.js';
import { bytesOf } from './host-content.js';

/** A program of `run`, `spawn` or `runGroup`. */
export interface CalledProgram {
  file: string;
  args?: readonly string[] | undefined;
  options: RunnerOptions;
}

/** Options that stay with the caller. */
const LOCAL = ['signal', 'onAbort', 'engine'];

/** With what to do instead. */
const CANNOT_TRAVEL: ReadonlyMap<string, string> = new Map([
  ['onStdout', 'Use spawn and read the stream.'],
  ['onStderr', 'Use spawn and read the stream.'],
]);

/** Throws `InvalidOptionsError`. `at`: how the caller calls the options, for messages. */
export async function packProgram(
  writer: ContentWriter,
  { file, args = [], options }: CalledProgram,
  at: string,
): Promise<WireProgram> {
  const { stdin, stdout, stderr, fds, pty, env, files, copyOut, ...rest } = options;
  // A list of pairs: the names are the caller's until the schema has seen them.
  const plain: [string, unknown][] = [];
  for (const [name, value] of Object.entries(rest)) {
    if (LOCAL.includes(name)) continue;
    const hint = value === undefined ? undefined : CANNOT_TRAVEL.get(name);
    if (hint !== undefined) throw notHere(`${at}.${name}`, 'cannot be done from a worker', hint);
    plain.push([name, value]);
  }
  const packed = {
    file,
    args: [...args],
    stdin: stdin === undefined ? undefined : await packInput(writer, stdin, `${at}.stdin`),
    stdout: stdout === undefined ? undefined : packOutput(stdout, `${at}.stdout`),
    stderr: stderr === undefined || stderr === 'stdout' ? stderr : packOutput(stderr, `${at}.stderr`),
    fds: fds === undefined ? undefined : await packFds(writer, fds, `${at}.fds`),
    pty: pty === undefined ? undefined : await packPty(writer, pty, `${at}.pty`),
    env: env === undefined ? undefined : packEnv(env),
    files: files === undefined ? undefined : await packFiles(writer, files, `${at}.files`),
    copyOut: copyOut === undefined ? undefined : copyOut.map(packCopyOut),
  };
  const given = [...plain, ...Object.entries(packed)].filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as WireProgram; // the schema checks it next
}

async function packInput(writer: ContentWriter, input: InputSpec, field: string): Promise<WireInput> {
  if (typeof input !== 'object' || input === null || 'file' in input) return input as WireInput;
  if ('inherit' in input) throw notHere(`${field}.inherit`, 'cannot leave this machine');
  if ('stream' in input)
    throw notHere(`${field}.stream`, 'cannot leave this machine', "Use spawn with stdin: 'pipe'.");
  const { seekable, ...content } = input;
  const blob = await writer.put(await bytesOf(content as Content, field));
  return seekable === undefined ? { blob } : { blob, seekable };
}

/** A descriptor for what is collected is made at this end. */
function packOutput(output: OutputSpec, field: string): WireOutput {
  if (typeof output !== 'object' || output === null) return output as WireOutput;
  if ('inherit' in output) throw notHere(`${field}.inherit`, 'cannot leave this machine');
  if (!('file' in output) || output.collect === undefined) return output as WireOutput;
  const { as: _as, ...collect } = output.collect;
  return { ...output, collect } as WireOutput;
}

async function packFds(
  writer: ContentWriter,
  fds: Record<number, FdSpec>,
  field: string,
): Promise<[number, { input: WireInput } | { output: WireOutput }][]> {
  const packed: [number, { input: WireInput } | { output: WireOutput }][] = [];
  for (const [fd, spec] of Object.entries(fds)) {
    const at = `${field}[${fd}]`;
    if ('fd' in spec) throw notHere(`${at}.fd`, 'cannot leave this machine');
    if ('input' in spec)
      packed.push([Number(fd), { input: await packInput(writer, spec.input, `${at}.input`) }]);
    else packed.push([Number(fd), { output: packOutput(spec.output, `${at}.output`) }]);
  }
  return packed;
}

async function packPty(
  writer: ContentWriter,
  { input, ...rest }: PtyOptions,
  field: string,
): Promise<object> {
  if (input === undefined) return rest;
  return { ...rest, input: { blob: await writer.put(await bytesOf(input, `${field}.input`)) } };
}

function packEnv(env: Environment): WireProgram['env'] {
  return Array.isArray(env)
    ? { strings: [...env] }
    : { pairs: Object.entries(env as Record<string, string>) };
}

async function packFiles(
  writer: ContentWriter,
  files: Record<string, FileInput | string | Uint8Array>,
  field: string,
): Promise<[string, WireFile][]> {
  const packed: [string, WireFile][] = [];
  for (const [path, given] of Object.entries(files)) {
    packed.push([path, await packFile(writer, given, `${field}[${JSON.stringify(path)}]`)]);
  }
  return packed;
}

async function packFile(
  writer: ContentWriter,
  given: FileInput | string | Uint8Array,
  field: string,
): Promise<WireFile> {
  if (typeof given === 'string') return { blob: await writer.put(Buffer.from(given)) };
  if (given instanceof Uint8Array) return { blob: await writer.put(given) };
  if ('symlink' in given) return given;
  const { mode, executable, ...content } = given;
  const blob = await writer.put(await bytesOf(content as Content, field));
  return {
    blob,
    ...(mode === undefined ? {} : { mode }),
    ...(executable === undefined ? {} : { executable }),
  };
}

function packCopyOut(wanted: CopyOut): Exclude<WireProgram['copyOut'], undefined>[number] {
  if (typeof wanted === 'string') return wanted;
  const { as: _as, ...rest } = wanted;
  return rest;
}

function notHere(field: string, expected: string, hint: string | null = null): InvalidOptionsError {
  return new InvalidOptionsError({ field, rule: 'not-here', expected, hint });
}
