/** Runs a request over one of the public protocols, output as it comes. */
import type { ConsoleLanguage } from '@sbx/console/wire';
import { type ExecutionResult, isFathomError } from '@sbx/fathom-client';
import { type GojudgeClient, isGojudgeError, type RunOutcome } from '@sbx/gojudge-client';
import type { Server } from '../server.js';
import type { OutputStream } from './output-buffer.js';
import { argsOf, type RunRequest } from './request.js';
import { type Verdict, verdictOf } from './verdict.js';

export interface RunEvents {
  onOutput(stream: OutputStream, text: string): void;
  /** The id that live figures know it by. */
  onStart(id: string): void;
}

interface Running extends RunEvents {
  server: Server;
  request: RunRequest;
  language: ConsoleLanguage;
  signal: AbortSignal;
}

const MIB = 2 ** 20;
const COMPILE_LIMITS = { cpuTimeMs: 30_000, wallTimeMs: 60_000, memoryBytes: 1024 * MIB, processCount: 64 };
const NOTHING = { exitStatus: null, error: null, cpuTimeMs: null, wallTimeMs: null, memoryBytes: null };

/** Resolves however it ends; a refusal and a lost connection are verdicts too. */
export async function execute(running: Running): Promise<Verdict> {
  try {
    return await (running.request.protocol === 'fathom' ? viaFathom(running) : viaGojudge(running));
  } catch (error) {
    if (running.signal.aborted) return verdictOf({ ...NOTHING, status: 'stopped' }, running.request);
    const isOurs = isFathomError(error) || isGojudgeError(error);
    const status = isOurs ? error.message : `The console failed: ${String(error)}`;
    return verdictOf({ ...NOTHING, status }, running.request);
  }
}

async function viaFathom({ server, request, signal, onOutput, onStart }: Running): Promise<Verdict> {
  const { language, code, stdin } = request;
  const limits = {
    timeoutMs: request.wallTimeMs,
    memoryBytes: request.memoryMib * MIB,
    outputBytes: request.outputKib * 1024,
  };
  const execution = server.fathom().execute({ language, code, stdin, limits });
  const cancel = () => execution.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  onStart(execution.id);
  let result: ExecutionResult | null = null;
  for await (const event of execution) {
    if (event.kind === 'stdout' || event.kind === 'stderr') onOutput(event.kind, event.text);
    else if (event.kind === 'result') result = event.result;
  }
  const { status, exitCode, durationMs, usage, outputLimitExceeded } = result!;
  return verdictOf(
    {
      status: outputLimitExceeded ? 'Output Limit Exceeded' : status,
      exitStatus: exitCode,
      error: null,
      cpuTimeMs: usage.cpuTimeMs ?? null,
      wallTimeMs: durationMs,
      memoryBytes: usage.memoryPeakBytes ?? null,
    },
    request,
  );
}

async function viaGojudge(running: Running): Promise<Verdict> {
  await using client = running.server.gojudge();
  const compiled = await compile(client, running);
  if (!('files' in compiled)) return compiled;
  await using _outcome = compiled.outcome;
  return await runCompiled(client, running, compiled.files);
}

type CopyIn = Record<string, string | { fileId: string }>;
type Compiled = { files: CopyIn; outcome: RunOutcome | null };

/** Files of the run, or the verdict of a compiler that refused the source. */
export async function compile(
  client: GojudgeClient,
  { request, language, signal, onOutput }: Running,
): Promise<Compiled | Verdict> {
  const extra = Object.fromEntries(request.files.map(({ name, text }) => [name, text]));
  const files = { ...extra, [language.source]: request.code };
  if (language.compile === null) return { files, outcome: null };
  const { args, env, output } = language.compile;
  const outcome = await client.run(
    {
      args,
      env,
      copyIn: files,
      copyOutCached: output.map((name) => `${name}?`),
      limits: COMPILE_LIMITS,
      outputBytes: 256 * 1024,
    },
    { signal },
  );
  onOutput('compiler', outcome.stdout + outcome.stderr);
  const stored = Object.entries(outcome.stored);
  if (outcome.ok && stored.length === output.length) {
    return {
      files: { ...extra, ...Object.fromEntries(stored.map(([name, { fileId }]) => [name, { fileId }])) },
      outcome,
    };
  }
  await outcome[Symbol.asyncDispose]();
  return verdictOf({ ...factsOf(outcome), status: 'compile' }, request);
}

async function runCompiled(
  client: GojudgeClient,
  { request, language, signal, onOutput, onStart }: Running,
  copyIn: CopyIn,
): Promise<Verdict> {
  const requestId = crypto.randomUUID();
  const run = await client.interact(
    {
      args: [...language.run.args, ...argsOf(request)],
      env: language.run.env,
      copyIn,
      limits: limitsOf(request),
      files: [{ content: request.stdin }, { streamOut: true }, { streamOut: true }],
    },
    { requestId },
  );
  onStart(requestId);
  const cancel = () => run.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const decoders = [new TextDecoder(), new TextDecoder()];
  let leftBytes = request.outputKib * 1024;
  for await (const { fd, bytes } of run) {
    if (leftBytes <= 0) continue;
    const kept = bytes.subarray(0, leftBytes);
    leftBytes -= bytes.byteLength;
    onOutput(fd === 2 ? 'stderr' : 'stdout', decoders[fd - 1]!.decode(kept, { stream: true }));
    if (leftBytes < 0) run.cancel();
  }
  const outcome = await run.result;
  const status = leftBytes < 0 ? 'Output Limit Exceeded' : signal.aborted ? 'stopped' : outcome.status;
  return verdictOf({ ...factsOf(outcome), status }, request);
}

export function limitsOf({ cpuTimeMs, wallTimeMs, memoryMib, processCount }: RunRequest) {
  return { cpuTimeMs, wallTimeMs, memoryBytes: memoryMib * MIB, processCount };
}

export function factsOf({ status, exitStatus, error, figures }: RunOutcome) {
  const { cpuTimeMs, wallTimeMs, memoryBytes } = figures;
  return { status: status as string, exitStatus, error, cpuTimeMs, wallTimeMs, memoryBytes };
}
