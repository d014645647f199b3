/** Workers and submitters in processes of their own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  ClusterEngine,
  type ClusterJob,
  type ClusterOptions,
  type ClusterTicket,
  type WorkerOptions,
} from '@sbx/cluster';
import type { EngineOptions } from '@sbx/core';

const script = join(import.meta.dirname, 'node.mjs');

export interface TestNode {
  child: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Leases of a second, so that tests need not wait for ten. */
export const QUICK = { leaseMs: 1000 } as const;

/** With `engineOptions` it says when it hears of cancels. */
export function startWorkerProcess(
  options: WorkerOptions & { engineOptions?: EngineOptions },
): Promise<TestNode> {
  return startNode('worker', { languages: [], ...QUICK, ...options });
}

export function startSubmitterProcess(options: ClusterOptions & { jobs: ClusterJob[] }): Promise<TestNode> {
  return startNode('submitter', { ...QUICK, ...options });
}

/** A submitter in this process. */
export function openEngine(options: ClusterOptions): Promise<ClusterEngine> {
  return ClusterEngine.open({ ...QUICK, ...options });
}

/** What the broker says of jobs that are open, for the message of a test that fails by its deadline. */
export function describeJobs(servers: readonly string[], tickets: readonly ClusterTicket[]): string {
  const input = JSON.stringify({ servers, jobs: tickets.map(({ id, state }) => ({ id, state })) });
  const file = join(import.meta.dirname, 'trouble.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [file], {
    input,
    encoding: 'utf8',
    timeout: START_MS,
  });
  return stdout + stderr;
}

/** One that says nothing for so long is ended, and counts as one that could not start. */
const START_MS = 30_000;

async function startNode(kind: string, options: object): Promise<TestNode> {
  const child = spawn(process.execPath, [script, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin!.end(JSON.stringify(options));
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (data: Buffer) => data.includes('ready') && resolve());
    child.once('exit', (code, signal) => reject(new Error(`the ${kind} ended: ${code ?? signal}`)));
  }).finally(() => clearTimeout(timer));
  return {
    child,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    },
  };
}
