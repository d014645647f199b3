import { once } from 'node:events';

/** Writes chunks to a stream of ours, waiting while it is full. */
export function writeTo(stream: NodeJS.WriteStream): (chunk: Uint8Array) => Promise<void> {
  return async (chunk) => {
    if (stream.destroyed || stream.write(chunk)) return;
    await once(stream, 'drain');
  };
}
