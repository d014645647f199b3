/** Brokers for tests: real ones, each with a store of its own that goes with it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../helpers/free-port.mjs';
import { root } from '../tidy/sources.js';

const START_MS = 30_000;
const ANSWER_MS = 2000;
/** Why it ended stands at the end of its log; reports cut long texts. */
const LOG_TAIL_CHARS = 500;

let binary: string | undefined;

function natsServer(): string {
  binary ??= execFileSync(process.execPath, [join(root, 'scripts/nats-server.mjs')], {
    encoding: 'utf8',
  }).trim();
  return binary;
}

interface Ports {
  client: number;
  monitor: number;
}

export class Nats {
  readonly url: string;
  /** Where it says how it is. */
  readonly #healthUrl: string;
  readonly #args: readonly string[];
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #log = '';

  private constructor(ports: Ports, folder: string, args: readonly string[]) {
    this.url = `nats://127.0.0.1:${ports.client}`;
    this.#healthUrl = `http://127.0.0.1:${ports.monitor}/healthz`;
    this.#folder = folder;
    const own = ['-a', '127.0.0.1', '-p', `${ports.client}`, '-m', `${ports.monitor}`];
    this.#args = [...own, '-js', '-sd', join(folder, 'store'), ...args];
  }

  static async start(args: readonly string[] = [], port?: number): Promise<Nats> {
    const ports = { client: port ?? (await freePort()), monitor: await freePort() };
    const nats = new Nats(ports, mkdtempSync(join(tmpdir(), 'sbx-test-nats-')), args);
    await nats.start();
    return nats;
  }

  /** Three that are one: what is acknowledged is on two of them. */
  static async startThree(): Promise<Nats[]> {
    const ports = await Promise.all([0, 1, 2].map(() => freePort()));
    const routes = await Promise.all([0, 1, 2].map(() => freePort()));
    const all = routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
    const argsOf = (index: number) => [
      ...['--name', `n${index}`, '--cluster_name', 'test'],
      ...['--cluster', `nats://127.0.0.1:${routes[index]}`, '--routes', all],
    ];
    return Promise.all(ports.map((port, index) => Nats.start(argsOf(index), port)));
  }

  /** Again after `kill`, with what it had stored. */
  async start(): Promise<void> {
    const child = spawn(natsServer(), this.#args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    const kill = () => void child.kill('SIGKILL'); // also where a hook before `stop` threw
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    await new Promise<void>((resolve, reject) => {
      this.#log = '';
      child.stderr!.on('data', (data: Buffer) => {
        this.#log += data;
        if (this.#log.includes('Server is ready')) resolve();
      });
      child.once('close', () =>
        reject(new Error(`nats-server ended, its last lines: ${this.#log.slice(-LOG_TAIL_CHARS)}`)),
      );
    }).finally(() => clearTimeout(timer));
  }

  /**
   * Resolves when its streams are as those of the others, as whoever restarts brokers one by one waits for.
   */
  async healthy(): Promise<void> {
    for (;;) {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const isHealthy = await fetch(this.#healthUrl, { signal }).then(
        async (answer) => (await answer.arrayBuffer()) && answer.ok,
        () => false, // it starts, or hangs
      );
      if (isHealthy) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** After `kill`: the next start is one without all that it had stored. */
  loseStore(): void {
    rmSync(join(this.#folder, 'store'), { recursive: true });
  }

  /** Reads its configuration again. */
  reload(): void {
    this.#child!.kill('SIGHUP');
  }

  /** What it wrote since its start. */
  log(): string {
    return this.#log;
  }

  /** User and system time so far, in ms. */
  cpuTimeMs(): number {
    const stat = readFileSync(`/proc/${this.#child!.pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** One for all tests of a file. */
export function useNats(): { readonly url: string; readonly server: Nats } {
  let nats: Nats;
  beforeAll(async () => {
    nats = await Nats.start();
  }, 120_000);
  afterAll(() => nats.stop());
  return {
    get url() {
      return nats.url;
    },
    get server() {
      return nats;
    },
  };
}

/** Folders that workers of this process have for their caches. */
export function cacheFolders(): string[] {
  return readdirSync(tmpdir()).filter(
    (name) => /^sbx-cluster-\d+-(\d+)-/.exec(name)?.[1] === `${process.pid}`,
  );
}
