import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../model/loopback.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import { ConnectionError } from './errors.ts';
import { canStandInHeader } from './token.ts';

/** The proxy on the way to a service. */
export interface Proxy {
  /** Scheme, host and port, without user name and password. */
  readonly origin: string;
  /** Value of the `Proxy-Authorization` header. */
  readonly authorization?: string;
  /** What must not be read in any log or reason. */
  readonly secrets: readonly string[];
}

/**
 * The proxy that leads to `address`, or undefined where the way is direct; loopback is always reached directly.
 * Throws ConnectionError (`proxy`) where the settings name one that cannot be used.
 */
export function proxyFor(settings: NetworkSettings, address: string): Proxy | undefined {
  const target = new URL(address);
  const written = target.protocol === 'https:' ? settings.proxies.https : settings.proxies.http;
  if (written === undefined || isLoopback(target.hostname) || isExempt(settings.noProxy, target)) return undefined;
  const url = proxyUrl(written);
  const { user, password } = { user: decoded(url.username), password: decoded(url.password) };
  const basic = Buffer.from(`${user}:${password}`, 'utf8').toString('base64');
  const hasUser = user !== '' || password !== '';
  const authorization = settings.proxyAuthorization ?? (hasUser ? `Basic ${basic}` : undefined);
  if (authorization !== undefined && !canStandInHeader(authorization)) {
    throw unusable('BAD_PROXY_AUTHORIZATION', 'its authorization holds characters that cannot stand in a header');
  }
  const given = settings.proxyAuthorization?.replace(/^\S+\s+/, '') ?? '';
  const secrets = [...(hasUser ? [password, basic, url.password] : []), given].filter((part) => part !== '');
  return { origin: `${url.protocol}//${url.host}`, ...(authorization !== undefined && { authorization }), secrets };
}

function proxyUrl(written: string): URL {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || url.hostname === '') throw unusable('BAD_PROXY_ADDRESS', 'its address is not valid');
  if (/^https?:$/.test(url.protocol)) return url;
  throw unusable('UNSUPPORTED_PROXY', `a proxy of the kind ${url.protocol}// cannot be used`);
}

/** The address is not repeated: it may hold a password. */
function unusable(code: string, detail: string): ConnectionError {
  return new ConnectionError(`connect: the proxy cannot be used: ${detail}`, { kind: 'proxy', code, detail });
}

function decoded(part: string): string {
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
  const [, name = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (name === '' || (wantedPort !== undefined && wantedPort !== port)) return false;
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
