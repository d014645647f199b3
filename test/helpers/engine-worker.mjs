// A worker thread with an engine of its own. `workerData`: { mounts, task: 'run' | 'hang' }.
import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from '@sbx/core';

const engine = await Engine.open({ mounts: workerData.mounts });
const { uidBase } = engine.info().user;

if (workerData.task === 'run') {
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, i) => engine.run('/t/exit-with', [String(i)])),
  );
  await engine.close();
  parentPort.postMessage({ uidBase, exitCodes: results.map((result) => result.exitCode) });
} else {
  const sandbox = await engine.createSandbox();
  await sandbox.spawn('/t/sleep-ms', ['600000']);
  await sandbox.spawn('/t/fork-bomb', ['plain'], { limits: { cpuTimeMs: null, wallTimeMs: null } });
  void engine.run('/t/burn-cpu', ['600000'], { limits: { cpuTimeMs: null, wallTimeMs: null } });
  parentPort.postMessage({ uidBase, info: engine.info() });
  setInterval(() => {}, 1000); // until it is terminated
}
