/**
 * Returns true if a URL's `hostname` is `localhost` or a loopback address. Subdomains of `localhost` are excluded,
 * because some systems resolve them over the network, where another machine could receive the key.
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
