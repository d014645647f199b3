/** Web pages that reach a server of their reader's machine. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Any web page may try to connect to a server on the machine of its reader, also under a name of its own that leads there. A page of
 * this machine is no stranger, and on other addresses than loopback nothing can be told from the origin.
 */
export function isForeignPage(origin: string, localAddress: string | undefined): boolean {
  return isLoopback(localAddress) && !LOOPBACK_NAMES.includes(hostNameOf(origin));
}

function isLoopback(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function hostNameOf(origin: string): string {
  try {
    return new URL(origin).hostname;
  } catch {
    return '';
  }
}
