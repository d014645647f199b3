/** Workers and submitters in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { ClusterEngine, type ClusterJob, type ClusterOptions, type WorkerOptions } from '@sbx/cluster';

const script = join(import.meta.dirname, 'node.mjs');

export interface TestNode {
  child: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Leases of a second, so that tests need not wait for ten. */
export const QUICK = { leaseMs: 1000 } as const;

export function startWorkerProcess(options: WorkerOptions): Promise<TestNode> {
  return startNode('worker', { languages: [], ...QUICK, ...options });
}

export function startSubmitterProcess(options: ClusterOptions & { jobs: ClusterJob[] }): Promise<TestNode> {
  return startNode('submitter', { ...QUICK, ...options });
}

/** A submitter in this process. */
export function openEngine(options: ClusterOptions): Promise<ClusterEngine> {
  return ClusterEngine.open({ ...QUICK, ...options });
}

async function startNode(kind: string, options: object): Promise<TestNode> {
  const child = spawn(process.execPath, [script, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin!.end(JSON.stringify(options));
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (data: Buffer) => data.includes('ready') && resolve());
    child.once('exit', (code, signal) => reject(new Error(`the ${kind} ended: ${code ?? signal}`)));
  });
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
