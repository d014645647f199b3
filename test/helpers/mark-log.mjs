/** V8 logs how it finds a property only in a function that has run for a while. */
const ENOUGH_READS = 10_000;

/** Reads a property of that name, so that V8's log has a line with it. */
export function markLog(name) {
  new Function('object', 'reads', `for (let i = 0; i < reads; i++) object.${name};`)(
    { [name]: 0 },
    ENOUGH_READS,
  );
}
