/**
 * Upper bounds of histograms of times, in seconds: from what a short run takes to the longest that clients
 * wait.
 */
export const TIME_BOUNDS_SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
