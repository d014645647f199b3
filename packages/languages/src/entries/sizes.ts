/** Bytes per mebibyte, for the limits in the tables. */
export const MiB = 2 ** 20;
