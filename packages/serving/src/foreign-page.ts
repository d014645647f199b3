/** Web pages that reach a server of their reader's machine. */
import { hostname } from 'node:os';

/** No page of another machine has one of these as its host. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]', hostname().toLowerCase()];

/**
 * Any web page may try to connect to a server on the machine of its reader. A page of this machine is no
 * stranger, unless it comes from a loopback address that is neither the usual one nor the server's: what runs
 * in sandboxes is shown at one (`sandbox.expose`). On other addresses than loopback nothing can be told from
 * the origin.
 */
export function isForeignPage(origin: string, localAddress: string | undefined): boolean {
  if (!isLoopback(localAddress)) return false;
  const host = hostNameOf(origin);
  return !OWN_NAMES.includes(host) && host !== localAddress?.replace('::ffff:', '');
}

/**
 * Whether a request names a host that a page of another machine can have had lead here. Addresses are never
 * made to lead elsewhere, and may be those of whoever passes the connection on.
 */
export function isForeignHost(host: string, localAddress: string | undefined): boolean {
  const origin = `http://${host}`;
  return isForeignPage(origin, localAddress) && !/^127\.\d+\.\d+\.\d+$/.test(hostNameOf(origin));
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
