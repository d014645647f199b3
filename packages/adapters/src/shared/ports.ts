/** What a framework calls the address of a port: a port of this machine that leads there. */
import type { ExposedPort, Sandbox } from '@sbx/core';

const exposed = new WeakMap<Sandbox, Map<number, Promise<ExposedPort>>>();

/** The same for each call; ends with the sandbox. Rejects where the sandbox has no `network: 'loopback'`. */
export function exposedPort(sandbox: Sandbox, port: number): Promise<ExposedPort> {
  const known = exposed.get(sandbox) ?? new Map<number, Promise<ExposedPort>>();
  exposed.set(sandbox, known);
  const made = known.get(port) ?? sandbox.expose(port);
  known.set(port, made);
  made.catch(() => known.delete(port)); // the next call may find a descriptor free
  return made;
}

export async function urlOf(sandbox: Sandbox, port: number): Promise<string> {
  return (await exposedPort(sandbox, port)).url;
}
