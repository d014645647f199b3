import { expect, it, vi } from 'vitest';
import { specOf } from './fake-native.js';
import { PreparationTiming } from './preparation-timing.js';
import type { Slot } from './slot.js';

function slotOf(state: Slot['state']) {
  const prepare = vi.fn<(spec: unknown, oneCpu?: boolean) => void>();
  return { state, spec: specOf('a'), prepare, subscribe: vi.fn(), pollReady: vi.fn() };
}

function timingOf({
  inUse,
  cpus,
  slots,
}: {
  inUse: number;
  cpus: number;
  slots: ReturnType<typeof slotOf>[];
}) {
  return new PreparationTiming({
    slots: new Set(slots as unknown as Slot[]),
    waiting: () => 0,
    inUse: () => inUse,
    cpus,
  });
}

it.each([
  [1, 2, true],
  [0, 2, false],
  [2, 2, false],
  [7, 8, true],
  [3, 8, false],
])('with %d programs on %d CPUs the next sandbox keeps to one CPU: %s', (inUse, cpus, oneCpu) => {
  const slot = slotOf('preparing');
  const timing = timingOf({ inUse, cpus, slots: [slot] });
  timing.defer(slot as unknown as Slot);
  timing.prepareDeferred();
  timing.stop();
  expect(slot.prepare.mock.calls).toEqual([[slot.spec, oneCpu]]);
});

it('puts a sandbox off only when nothing runs and another stands ready', () => {
  const cases = [
    timingOf({ inUse: 0, cpus: 4, slots: [slotOf('ready'), slotOf('preparing')] }),
    timingOf({ inUse: 1, cpus: 4, slots: [slotOf('ready')] }),
    timingOf({ inUse: 0, cpus: 4, slots: [slotOf('preparing')] }),
  ];
  expect(cases.map((timing) => timing.defers())).toEqual([true, false, false]);
});

it('makes nothing in a slot that has ended meanwhile', () => {
  const slot = slotOf('preparing');
  const timing = timingOf({ inUse: 1, cpus: 4, slots: [slot] });
  timing.defer(slot as unknown as Slot);
  slot.state = 'ended';
  timing.prepareDeferred();
  timing.stop();
  expect(slot.prepare).not.toHaveBeenCalled();
});
