/** Compiles once, then runs every case over go-judge's interface, some at a time. */
import type { ConsoleLanguage } from '@sbx/console/wire';
import type { GojudgeClient } from '@sbx/gojudge-client';
import { compile, factsOf, limitsOf } from '../run/execute.js';
import { argsOf, type RunRequest } from '../run/request.js';
import { verdictOf } from '../run/verdict.js';
import type { Server } from '../server.js';
import { type Case, type Difference, differenceOf } from './cases.js';

export interface CaseResult {
  name: string;
  verdict: string;
  isRight: boolean;
  cpuTimeMs: number;
  wallTimeMs: number;
  memoryBytes: number;
  difference: Difference | null;
}

interface Grading {
  server: Server;
  request: RunRequest;
  language: ConsoleLanguage;
  cases: readonly Case[];
  signal: AbortSignal;
  onResult(at: number, result: CaseResult): void;
}

const CONCURRENCY = 4;

/** Resolves with what stood in the way of all cases; `null`: nothing. */
export async function grade(grading: Grading): Promise<string | null> {
  await using client = grading.server.gojudge();
  try {
    let compilerText = '';
    const compiled = await compile(client, {
      ...grading,
      onStart: () => undefined,
      onOutput: (_stream, text) => {
        compilerText += text;
      },
    });
    if (!('files' in compiled)) return `${compiled.text}: ${compilerText.slice(0, 500)}`;
    await using _outcome = compiled.outcome;
    const { files } = compiled;
    let next = 0;
    const work = async () => {
      for (let at = next++; at < grading.cases.length; at = next++) {
        grading.onResult(at, await runCase(client, grading, files, at));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return null;
  } catch (error) {
    return grading.signal.aborted ? 'Stopped' : (error as Error).message;
  }
}

type CopyIn = Record<string, string | { fileId: string }>;

async function runCase(
  client: GojudgeClient,
  { request, language, cases, signal }: Grading,
  copyIn: CopyIn,
  at: number,
): Promise<CaseResult> {
  const { stdin, expected } = cases[at]!;
  const args = [...language.run.args, ...argsOf(request)];
  const outputBytes = request.outputKib * 1024;
  const command = { args, env: language.run.env, copyIn, stdin, limits: limitsOf(request), outputBytes };
  await using outcome = await client.run(command, { signal });
  const difference = expected === null || !outcome.ok ? null : differenceOf(expected, outcome.stdout);
  return {
    ...outcome.figures,
    name: String(at + 1),
    verdict: verdictOf(factsOf(outcome), request).text,
    isRight: outcome.ok && difference === null,
    difference,
  };
}
