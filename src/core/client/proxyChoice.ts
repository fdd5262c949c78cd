import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../model/connection.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import { ConnectionError } from './errors.ts';
import { isHeaderSafe } from './token.ts';

/** Describes the proxy between the client and a service. */
export interface Proxy {
  /** Scheme, host and port, without a user name or password. */
  readonly origin: string;
  /** Value of the `Proxy-Authorization` header. */
  readonly authorization?: string;
  /** Strings that must not appear in logs or reasons. */
  readonly secrets: readonly string[];
}

/**
 * Returns the proxy for `address`, or undefined for a direct connection, such as to a loopback address. Throws
 * ConnectionError (`proxy`) if the settings specify an unusable proxy.
 */
export function findProxy(settings: NetworkSettings, address: string): Proxy | undefined {
  const target = new URL(address);
  const configured = target.protocol === 'https:' ? settings.proxies.https : settings.proxies.http;
  if (configured === undefined || isLoopback(target.hostname) || isExempt(settings.noProxy, target)) return undefined;
  const url = parseProxyUrl(configured);
  const { user, password } = { user: decode(url.username), password: decode(url.password) };
  const basic = Buffer.from(`${user}:${password}`, 'utf8').toString('base64');
  const hasUser = user !== '' || password !== '';
  const authorization = settings.proxyAuthorization ?? (hasUser ? `Basic ${basic}` : undefined);
  if (authorization !== undefined && !isHeaderSafe(authorization)) {
    throw createUnusableProxyError(
      'BAD_PROXY_AUTHORIZATION',
      'its authorization contains characters that are not allowed in a header',
    );
  }
  const given = settings.proxyAuthorization?.replace(/^\S+\s+/, '') ?? '';
  const secrets = [...(hasUser ? [password, basic, url.password] : []), given].filter((part) => part !== '');
  return { origin: `${url.protocol}//${url.host}`, ...(authorization !== undefined && { authorization }), secrets };
}

function parseProxyUrl(configured: string): URL {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(configured) ? configured : `http://${configured}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.hostname === '') throw createUnusableProxyError('BAD_PROXY_ADDRESS', 'its address is not valid');
  if (/^https?:$/.test(url.protocol)) return url;
  throw createUnusableProxyError('UNSUPPORTED_PROXY', `${url.protocol}// proxies are not supported`);
}

/** Creates an error that omits the proxy's address, which may contain a password. */
function createUnusableProxyError(code: string, detail: string): ConnectionError {
  return new ConnectionError(`connect: the proxy cannot be used: ${detail}`, { kind: 'proxy', code, detail });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isExempt(noProxy: readonly string[], target: URL): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return noProxy.some((entry) => covers(entry.trim().toLowerCase(), host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(entry, host);
  const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  return host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
}

function isWithin(block: string, host: string): boolean {
  const [net = '', bits = ''] = block.split('/');
  const family = isIP(net) === 6 ? 'ipv6' : 'ipv4';
  const length = Number(bits);
  if (isIP(net) === 0 || isIP(net) !== isIP(host) || !/^\d+$/.test(bits) || length > (family === 'ipv6' ? 128 : 32)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(net, length, family);
  return list.check(host, family);
}
