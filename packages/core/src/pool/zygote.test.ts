// The helper's start and end with a fake addon: what is asked of it, and what is left of it.
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HelperMessage, TemplateMessage } from '../native/native.js';

let say: (message: Partial<HelperMessage>) => void = () => undefined;
/** What the helper says once it has the template. */
let answer: Partial<HelperMessage> = { kind: 'ready' };
const channel = {
  template: vi.fn(() => {
    queueMicrotask(() => say(answer));
    return 0;
  }),
  close: vi.fn(),
};
const native = {
  spawnHelper: vi.fn((): object => ({ error: 0, pid: 70, pidfd: 71, channel: 72 })),
  endHelper: vi.fn(),
  reapHelper: vi.fn(() => true),
  signalHelper: vi.fn(),
  closeFds: vi.fn(),
};
const sendNewSlot = vi.fn(() => 0);

vi.resetModules();
vi.doMock('../native/native.js', async (original) => ({
  ...(await original<object>()),
  loadNative: () => ({ native, helperPath: '/helper' }),
}));
vi.doMock('../native/channel.js', () => ({
  sendNewSlot,
  openChannel: (_fd: number, onMessage: typeof say) => {
    say = onMessage;
    return channel;
  },
}));
const { Zygote } = await import('./zygote.js');
const { EPIPE } = await import('../native/errno.js');
afterAll(() => void vi.resetModules());

const MOUNTS = [
  { kind: 'bind', source: '/opt', target: 'opt' },
  { kind: 'tmpfs', source: '', target: 'tmp' },
];
const start = () => Zygote.start({ rootless: true, mounts: MOUNTS } as unknown as TemplateMessage);

beforeEach(() => {
  answer = { kind: 'ready' };
  vi.clearAllMocks();
});
afterEach(() => void vi.useRealTimers());

it('is there once it has entered its root', async () => {
  const zygote = await start();
  expect(native.spawnHelper).toHaveBeenCalledWith({ path: '/helper', rootless: true });
  expect(zygote.pid).toBe(70);
  await zygote.close();
});

it('that cannot be spawned leaves nothing to end', async () => {
  native.spawnHelper.mockReturnValueOnce({ error: -1 });
  await expect(start()).rejects.toMatchObject({ code: 'SBX_PERMISSION', layer: 'userns' });
  expect(native.endHelper).not.toHaveBeenCalled();
});

it.each([
  [0, 'The sandbox could not bind /opt to /opt'],
  [1, 'The sandbox could not make the tmpfs /tmp'],
])('a mount that fails is named by its row %i, and the helper is ended', async (index, message) => {
  answer = { kind: 'failed', stage: 'mountRow', stageText: '', index, errno: 5 } as never;
  await expect(start()).rejects.toMatchObject({
    code: 'SBX_SANDBOX_SETUP',
    message: expect.stringContaining(message),
  });
  expect(native.endHelper).toHaveBeenCalledOnce();
  expect(native.closeFds.mock.calls).toEqual([[[71]]]);
});

it('that dies before it is ready is lost, and one that takes no template says so', async () => {
  answer = { kind: 'closed' };
  await expect(start()).rejects.toMatchObject({ code: 'SBX_SANDBOX_LOST' });
  channel.template.mockReturnValueOnce(-90);
  await expect(start()).rejects.toThrow('take the mount table');
});

it('tells once when it ends unasked, and not when it was asked to', async () => {
  const lost = vi.fn();
  const zygote = await start();
  zygote.onLost(lost);
  say({ kind: 'closed' });
  say({ kind: 'closed' });
  expect(lost.mock.calls).toEqual([[expect.objectContaining({ code: 'SBX_SANDBOX_LOST' })]]);
  await zygote.close();
  const other = await start();
  other.onLost(lost);
  const closing = other.close();
  say({ kind: 'closed' });
  await closing;
  expect(lost).toHaveBeenCalledOnce();
});

it('a slot’s end of the channel is closed here whether or not it was sent; a broken pipe is a loss', async () => {
  const lost = vi.fn();
  const zygote = await start();
  zygote.onLost(lost);
  zygote.newSlot(1, 7000, 30);
  expect(lost).not.toHaveBeenCalled();
  sendNewSlot.mockReturnValueOnce(EPIPE);
  expect(() => zygote.newSlot(2, 7002, 31)).toThrow(expect.objectContaining({ code: 'SBX_SANDBOX_LOST' }));
  expect(native.closeFds.mock.calls).toEqual([[[30]], [[31]]]);
  expect(lost).toHaveBeenCalledOnce();
  await zygote.close();
});

it('is waited for, killed when it does not end, and its descriptor is closed once', async () => {
  const zygote = await start();
  vi.useFakeTimers();
  native.reapHelper.mockReturnValue(false);
  const closing = zygote.close();
  void zygote.close();
  await vi.advanceTimersByTimeAsync(900);
  expect(native.signalHelper).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(native.signalHelper.mock.calls).toEqual([[71, 9]]);
  await vi.advanceTimersByTimeAsync(60_000); // the kernel holds it
  expect(native.closeFds).not.toHaveBeenCalled();
  native.reapHelper.mockReturnValue(true);
  await vi.advanceTimersByTimeAsync(10);
  await closing;
  expect(native.closeFds.mock.calls).toEqual([[[71]]]);
});

it('helpers of engines that nobody closed are ended and reaped with the process', async () => {
  const before = process.listeners('exit');
  const zygote = await start();
  const [atExit] = process.listeners('exit').filter((listener) => !before.includes(listener));
  atExit!(0);
  expect(native.endHelper).toHaveBeenCalledOnce();
  expect(native.reapHelper).toHaveBeenCalledOnce();
  await zygote.close();
  expect(process.listeners('exit')).toEqual(before);
});
