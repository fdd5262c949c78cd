/**
 * Whether a host, as the `hostname` of a URL, is this machine itself. A name below `localhost` is not: where the
 * system does not know such names it asks the network, and whoever answers there would be given the key.
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
