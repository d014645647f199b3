/** Longest time that timers of JavaScript take, in ms: a longer one, `Infinity` too, ends at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;
