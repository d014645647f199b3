/** Of an output what callers are shown. */
export interface ShownText {
  text: string;
  /** Bytes that the program wrote and that `text` has not. */
  cutBytes: number;
}

/** Stands in a text for what it has not. */
export const leftOut = (cutBytes: number) => `[… ${cutBytes} bytes left out …]`;
