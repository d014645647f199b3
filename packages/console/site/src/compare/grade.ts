/** Compiles, runs over go-judge's interface and grades: a program on many cases, or programs on one. */
import type { ConsoleLanguage } from '@sbx/console/wire';
import type { GojudgeClient, RunOutcome } from '@sbx/gojudge-client';
import { compile, factsOf, limitsOf } from '../run/execute.js';
import { argsOf, type RunRequest } from '../run/request.js';
import { verdictOf } from '../run/verdict.js';
import type { Server } from '../server.js';
import { type Case, type Difference, differenceOf } from './cases.js';
import { type DiffLine, diffOf } from './diff.js';

export interface GradeResult {
  name: string;
  /** In the word of go-judge, to be counted. */
  status: string;
  /** In a sentence. */
  verdict: string;
  isRight: boolean;
  cpuTimeMs: number;
  wallTimeMs: number;
  memoryBytes: number;
  difference: Difference | null;
  /** All differences; `null` for none, and behind the first of many. */
  diff: readonly DiffLine[] | null;
}

interface Program {
  name: string;
  request: RunRequest;
  language: ConsoleLanguage;
}

export interface Grading {
  server: Server;
  signal: AbortSignal;
  onResult(at: number, result: GradeResult): void;
}

/** Of the cases that are compared at the same time. */
const CONCURRENCY = 4;
/** The page keeps the whole diff of so many. */
const DIFFS_MAX = 50;
const COMPILER_CHARS_MAX = 500;
const NO_FIGURES = { cpuTimeMs: 0, wallTimeMs: 0, memoryBytes: 0 };

/** Resolves with what stood in the way of all cases; `null`: nothing. */
export function gradeCases(
  grading: Grading,
  program: Omit<Program, 'name'>,
  cases: readonly Case[],
): Promise<string | null> {
  return withClient(grading, async (client) => {
    let [next, diffsLeft] = [0, DIFFS_MAX];
    return await withCompiled(client, grading, program, async (copyIn) => {
      const work = async () => {
        for (let at = next++; at < cases.length; at = next++) {
          const result = await runCase(client, { ...program, name: String(at + 1) }, copyIn, {
            ...cases[at]!,
            signal: grading.signal,
          });
          if (result.diff !== null) diffsLeft -= 1;
          grading.onResult(at, diffsLeft < 0 ? { ...result, diff: null } : result);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      return null;
    });
  });
}

/** As `gradeCases`. One after the other: their times are to be compared. */
export function gradePrograms(
  grading: Grading,
  programs: readonly Program[],
  wanted: Case,
): Promise<string | null> {
  const { signal } = grading;
  return withClient(grading, async (client) => {
    for (const [at, program] of programs.entries()) {
      const refusal = await withCompiled(client, grading, program, async (copyIn) => {
        grading.onResult(at, await runCase(client, program, copyIn, { ...wanted, signal }));
        return null;
      });
      if (refusal !== null) grading.onResult(at, notCompiled(program.name, refusal));
    }
    return null;
  });
}

function notCompiled(name: string, verdict: string): GradeResult {
  const nothing = { difference: null, diff: null, isRight: false };
  return { name, status: 'Did not compile', verdict, ...NO_FIGURES, ...nothing };
}

async function withClient(
  { server, signal }: Grading,
  work: (client: GojudgeClient) => Promise<string | null>,
): Promise<string | null> {
  await using client = server.gojudge();
  try {
    return await work(client);
  } catch (error) {
    return signal.aborted ? 'Stopped' : (error as Error).message;
  }
}

type CopyIn = Record<string, string | { fileId: string }>;

/** Resolves as `work` does, or with what the compiler said. */
async function withCompiled(
  client: GojudgeClient,
  { server, signal }: Grading,
  { request, language }: Omit<Program, 'name'>,
  work: (copyIn: CopyIn) => Promise<string | null>,
): Promise<string | null> {
  let compilerText = '';
  const compiled = await compile(client, {
    server,
    request,
    language,
    signal,
    onStart: () => undefined,
    onOutput: (_stream, text) => {
      compilerText += text;
    },
  });
  if (!('files' in compiled)) return `${compiled.text}: ${compilerText.slice(0, COMPILER_CHARS_MAX)}`;
  await using _outcome = compiled.outcome;
  return await work(compiled.files);
}

async function runCase(
  client: GojudgeClient,
  { name, request, language }: Program,
  copyIn: CopyIn,
  { stdin, expected, signal }: Case & { signal: AbortSignal },
): Promise<GradeResult> {
  const args = [...language.run.args, ...argsOf(request)];
  const outputBytes = request.outputKib * 1024;
  const command = { args, env: language.run.env, copyIn, stdin, limits: limitsOf(request), outputBytes };
  await using outcome = await client.run(command, { signal });
  return resultOf(outcome, { name, request, expected });
}

function resultOf(
  outcome: RunOutcome,
  { name, request, expected }: { name: string; request: RunRequest; expected: string | null },
): GradeResult {
  const difference = expected === null || !outcome.ok ? null : differenceOf(expected, outcome.stdout);
  return {
    ...outcome.figures,
    name,
    status: difference === null ? outcome.status : 'Wrong Answer',
    verdict: verdictOf(factsOf(outcome), request).text,
    isRight: outcome.ok && difference === null,
    difference,
    diff: difference === null ? null : diffOf(expected!, outcome.stdout),
  };
}
