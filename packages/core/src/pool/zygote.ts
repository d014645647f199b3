/** The engine's helper process: started once, asked for slots, ended with the engine. */
import { SandboxError, type SbxError } from '../errors.js';
import { openChannel, sendNewSlot } from '../native/channel.js';
import { EPIPE, EXDEV } from '../native/errno.js';
import {
  type Channel,
  type HelperMessage,
  loadNative,
  type Native,
  type TemplateMessage,
  type TemplateRow,
} from '../native/native.js';
import { lostError, setupError } from './failures.js';

const SIGKILL = 9;
const END_WAIT_MS = 5;
/** It is killed when it has not ended by itself. */
const KILL_TRIES = 200;
/** The process need not stay for one that the kernel holds for longer. */
const STAY_TRIES = 2000;
const EXIT_WAIT_MS = 1000;

/** Of engines that nobody has closed. */
const living = new Set<Zygote>();

/**
 * At `process.exit()` the addon has no time of its own. A helper that is not reaped then is left to pid 1,
 * and in a container that often is a program which reaps nobody. By then all have been told to end.
 */
function reapAtExit(): void {
  for (const zygote of living) zygote.tellToEnd();
  const until = performance.now() + EXIT_WAIT_MS;
  for (const zygote of living)
    while (!zygote.reap() && performance.now() < until) Atomics.wait(STILL, 0, 0, 1);
}

const STILL = new Int32Array(new SharedArrayBuffer(4));

export class Zygote {
  readonly pid: number;
  readonly #native: Native;
  #channel!: Channel;
  readonly #pidfd: number;
  #onMessage: (message: HelperMessage) => void = () => undefined;
  #onLost: (error: SbxError) => void = () => undefined;
  #lost: SbxError | null = null;
  #ending: Promise<void> | null = null;

  private constructor(native: Native, { pid, pidfd }: { pid: number; pidfd: number }) {
    this.#native = native;
    this.pid = pid;
    this.#pidfd = pidfd;
    if (living.size === 0) process.once('exit', reapAtExit);
    living.add(this);
  }

  /** Starts the helper and waits until it has entered its root. */
  static async start(options: TemplateMessage): Promise<Zygote> {
    const { native, helperPath } = loadNative();
    const spawned = native.spawnHelper({ path: helperPath, rootless: options.rootless });
    if (spawned.error < 0) {
      const stageText = 'start its helper in new namespaces';
      throw setupError({ stage: 'helper', stageText, index: 0, errno: -spawned.error });
    }
    const zygote = new Zygote(native, spawned);
    try {
      zygote.#channel = openChannel(spawned.channel, (message) => zygote.#onMessage(message));
      await zygote.#enterTemplate(options);
      return zygote;
    } catch (error) {
      await zygote.close();
      throw error;
    }
  }

  /**
   * Has a keeper cloned; its messages come on the channel whose helper end is `channel`, which is closed
   * here.
   */
  newSlot(slotId: number, uidBase: number, channel: number): void {
    const sent = sendNewSlot(this.#channel, slotId, uidBase, channel);
    this.#native.closeFds([channel]);
    if (sent === EPIPE) this.#noteLost(); // before the loop has come to say so
    if (sent < 0) throw this.#lost ?? lostError('The helper of the engine');
  }

  /** Called once when the helper ends without being asked to. */
  onLost(listener: (error: SbxError) => void): void {
    this.#onLost = listener;
    this.#onMessage = ({ kind }) => {
      if (kind === 'closed') this.#noteLost();
    };
  }

  #noteLost(): void {
    if (this.#lost !== null || this.#ending !== null) return;
    this.#lost = lostError('The helper of the engine');
    this.#onLost(this.#lost);
  }

  tellToEnd(): void {
    this.#native.endHelper(this.#pidfd);
  }

  /** False while it lives. */
  reap(): boolean {
    return this.#native.reapHelper(this.#pidfd);
  }

  /**
   * Ends it, and with it every process below. Resolves when it is reaped, however long the kernel takes: then
   * nothing below it is alive.
   */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#channel?.close();
    this.tellToEnd();
    for (let tries = 0; !this.reap(); tries += 1) {
      if (tries === KILL_TRIES) this.#native.signalHelper(this.#pidfd, SIGKILL);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, tries === 0 ? 0 : END_WAIT_MS);
        if (tries > STAY_TRIES) timer.unref();
      });
    }
    living.delete(this);
    if (living.size === 0) process.off('exit', reapAtExit);
    this.#native.closeFds([this.#pidfd]);
  }

  async #enterTemplate(options: TemplateMessage): Promise<void> {
    const answer = new Promise<HelperMessage>((resolve) => {
      this.#onMessage = resolve;
    });
    const sent = this.#channel.template(options);
    if (sent < 0)
      throw setupError({ stage: 'message', stageText: 'take the mount table', index: 0, errno: -sent });
    const message = await answer;
    if (message.kind === 'failed') throw withRow(setupError(message), message, options.mounts);
    if (message.kind !== 'ready') throw lostError('The helper of the engine');
  }
}

/** Says which row of the mount table it was. */
function withRow(
  error: SbxError,
  failed: { stage: string; index: number; errno: number },
  mounts: TemplateRow[],
): SbxError {
  const row = mounts[failed.index];
  if (failed.stage !== 'mountRow' || row === undefined) return error;
  const { stage, index, errno } = failed;
  const what = intentOf(row, errno);
  return new SandboxError({
    code: 'SBX_SANDBOX_SETUP',
    message: `The sandbox could not ${what}`,
    stage,
    index,
    errno,
  });
}

function intentOf(row: TemplateRow, errno: number): string {
  if (row.kind === 'bind') return `bind ${row.source} to /${row.target}`;
  if (row.kind !== 'mask') return `make the ${row.kind} /${row.target}`;
  if (-errno !== EXDEV) return `mask /${row.target}`;
  // A program may have made the link: what it chose is not covered for the others.
  return (
    `mask /${row.target}, where a link in a folder that programs can write to leads to where they cannot: ` +
    'mask what it leads to'
  );
}
