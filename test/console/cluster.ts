// A server whose programs run on the workers of a cluster, all real; what was started ends with the tests.
import { ClusterEngine } from '@sbx/cluster';
import { createServer, type Protocol, type SbxServer } from '@sbx/server';
import { afterAll, beforeAll } from 'vitest';
import { useNats } from '../cluster/nats.js';
import { startWorkerProcess, type TestNode } from '../cluster/nodes.js';

type WorkerOptions = Omit<Parameters<typeof startWorkerProcess>[0], 'servers'>;

export interface TestCluster {
  /** Of the server, without a path. */
  readonly url: string;
  readonly engine: ClusterEngine;
  startWorker(options: WorkerOptions): Promise<TestNode>;
}

/** `workers`: those that are there before the server is; that of Fathom waits for one. */
export function useCluster(
  protocols: readonly Protocol[],
  { workers = [] }: { workers?: readonly WorkerOptions[] } = {},
): TestCluster {
  const nats = useNats();
  const started: TestNode[] = [];
  let engine: ClusterEngine;
  let server: SbxServer;
  let url = '';

  const startWorker = async (options: WorkerOptions) => {
    const worker = await startWorkerProcess({ servers: nats.url, ...options });
    started.push(worker);
    return worker;
  };

  beforeAll(async () => {
    for (const options of workers) await startWorker(options);
    engine = await ClusterEngine.open({ servers: nats.url });
    server = await createServer({ port: 0, engine, protocols });
    [url] = (await server.listen()).urls as [string];
  }, 60_000);
  afterAll(async () => {
    await server?.close();
    await engine?.close();
    await Promise.all(started.map((worker) => worker.kill()));
  });

  return {
    get url() {
      return url;
    },
    get engine() {
      return engine;
    },
    startWorker,
  };
}
