/** Web pages that reach a server of their reader's machine. */
import { hostname } from 'node:os';

/** No page of another machine has one of these as its host. */
const OWN_NAMES = ['localhost', '[::1]', hostname().toLowerCase()];

/**
 * Any web page may try to connect to a server on the machine of its reader, also under a name of its own that
 * leads there. A page of this machine is no stranger, and on other addresses than loopback nothing can be
 * told from the origin.
 */
export function isForeignPage(origin: string, localAddress: string | undefined): boolean {
  if (!isLoopback(localAddress)) return false;
  const host = hostNameOf(origin);
  return !OWN_NAMES.includes(host) && !/^127\.\d+\.\d+\.\d+$/.test(host);
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
