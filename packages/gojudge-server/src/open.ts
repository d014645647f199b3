/** What a server is made of, opened in order: settings, engine, store, workers. */

import { Engine, type EngineInfo, InvalidOptionsError } from '@sbx/core';
import { makeMemoryFolder, Receiving, RequestRoom, Unsent } from '@sbx/serving';
import { readDotEnv } from './config/dot-env.js';
import { makeRoot, type Root, type Seen } from './config/mounts.js';
import { type ServerContext, Workers } from './judge/run-job.js';
import type { Settings } from './judge/settings.js';
import type { Metrics } from './metrics/metrics.js';
import { ownStackBytes, type ResolvedOptions } from './options.js';
import { FileStore } from './store/store.js';

export interface Parts {
  options: ResolvedOptions;
  settings: Settings;
  context: ServerContext;
  /** The engine was opened here and is closed here. */
  ownEngine: boolean;
}

/** Sandboxes of one request and of interactive streams come on top of the workers. */
const SANDBOXES_MAX = 4096;
const DISK_BYTES = 128 * 2 ** 20;
const DISK_FILES = 4096;
const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'];

export async function openParts(options: ResolvedOptions, metrics: Metrics | null): Promise<Parts> {
  const root = makeRoot(options.mountConf, options.tmpFsParam, seenOfHost(options));
  const engine = options.engine ?? (await openEngine(options, root));
  try {
    const settings = makeSettings(options, root, engine.info());
    const store = await openStore(options);
    if (metrics !== null) store.onAdded = (bytes) => metrics.observeFile(bytes);
    const workers = new Workers(options.parallelism, options.cpuSets, options.queueLength);
    const context: ServerContext = {
      engine,
      settings,
      store,
      workers,
      receiving: new Receiving(options.receiveTotalBytes),
      room: new RequestRoom({ bytesMax: options.requestTotalBytes, waitingMax: options.queueLength }),
      unsent: new Unsent(options.answerTotalBytes),
      metrics,
      observer: options.observer ?? null,
    };
    metrics?.watch(context);
    return { options, settings, context, ownEngine: options.engine === undefined };
  } catch (error) {
    if (options.engine === undefined) await engine.close();
    throw error;
  }
}

/**
 * mount.yaml says the whole root, with folders of the host in it: beside a minimal one it would bring them
 * back.
 */
function seenOfHost({ root, mountConf, compat }: ResolvedOptions): Seen {
  if (root === 'host') return compat === 'strict' ? 'strict' : 'host';
  if (mountConf == null) return 'minimal';
  throw new InvalidOptionsError({
    field: 'options.root',
    rule: 'conflict',
    expected: "must be 'host' where mountConf (mount.yaml) is given",
  });
}

function openEngine(options: ResolvedOptions, root: Root): Promise<Engine> {
  const workers = Math.min(options.cpuSets.length || options.parallelism || 1, SANDBOXES_MAX);
  return Engine.open({
    ...root.engine,
    root: options.root,
    insideUid: options.containerCredStart > 0 ? root.shown.uid : 0,
    umask: 0,
    signalsToInit: 'ignore',
    ignoredSignals: ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGABRT', 'SIGTERM'],
    seccomp: options.seccomp ?? 'default',
    // Go-judge has no filter, and programs built with -fsanitize=address end well there.
    allowSyscalls: ['ptrace'],
    maxSandboxes: SANDBOXES_MAX,
    parallelism: workers, // who has a worker waits for nothing more
    readyCount: Math.max(options.preFork, workers),
    cgroup: options.cgroup,
    ...(options.noFallback ? {} : { require: [] }),
  });
}

function makeSettings(options: ResolvedOptions, root: Root, { cgroup }: EngineInfo): Settings {
  return {
    token: options.token,
    allowedOrigins: options.allowedOrigins,
    allowedHosts: options.allowedHosts,
    parallelism: options.parallelism,
    cpuSets: options.cpuSets,
    queueLength: options.queueLength,
    srcPrefix: namesAllOfHost(options) ? null : options.srcPrefix,
    extraMemoryBytes: options.extraMemoryBytes || 16 * 1024,
    outputLimitBytes: options.outputLimitBytes,
    copyOutLimitBytes: options.copyOutLimitBytes,
    copyOutTotalBytes: options.copyOutTotalBytes,
    openFileLimit: options.openFileLimit,
    enableCpuRate: options.enableCpuRate,
    diskBytes: root.diskBytes ?? DISK_BYTES,
    diskFileCount: root.diskFileCount ?? DISK_FILES,
    ownStackBytes: ownStackBytes(),
    workDir: root.engine.workDir,
    env: readDotEnv(options.mountConf),
    strict: options.compat === 'strict',
    tickMs: options.compat === 'strict' ? options.timeLimitCheckerIntervalMs : 0,
    bodyMaxBytes: options.bodyMaxBytes,
    frameMaxBytes: options.frameMaxBytes,
    cmdCountMax: options.cmdCountMax,
    collectMaxBytes: options.collectMaxBytes,
    advertiseVersion: options.advertiseVersion,
    runnerConfig: {
      cgroupType: cgroup.version === 'none' ? 0 : cgroup.version === 'v2' ? 2 : 1,
      cgroupControllers: CONTROLLERS.filter((controller) => cgroup.controllers.includes(controller)),
      ...root.shown,
      ...(cgroup.version === 'v2' ? { clone3: true } : {}),
    },
  };
}

/** Strict as go-judge without a prefix; else the root has to be given for that, in so many words. */
function namesAllOfHost({ compat, srcPrefix }: ResolvedOptions): boolean {
  return srcPrefix.length === 0 ? compat === 'strict' : srcPrefix.includes('/');
}

async function openStore(options: ResolvedOptions): Promise<FileStore> {
  const { dir, compat, fileTimeoutMs: timeoutMs, storeMaxBytes: maxBytes, storeMaxCount: maxCount } = options;
  return FileStore.open({
    dir: dir ?? (await makeMemoryFolder('gojudge')),
    temporary: dir === null,
    keepsNames: compat !== 'strict',
    timeoutMs,
    maxBytes,
    maxCount,
  });
}
