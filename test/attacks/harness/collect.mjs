// A collection of everything: the first finds what is garbage, the second gives its pages back.
export function collect() {
  globalThis.gc();
  globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
