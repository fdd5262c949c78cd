import { apiVersion } from '../../contract/apiVersion.ts';
import { localServiceName } from '../../contract/root.ts';
import type { ServiceInfo, TokenScheme, TransportKind } from '../model/connection.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import { baseAddress, withSuggestedAddress } from './address.ts';
import type { AddressParts } from './address.ts';
import { readRoot } from './answers.ts';
import { DirectTransport } from './directTransport.ts';
import { makeDispatcher } from './dispatcher.ts';
import { EditorTransport, type Fetch } from './editorTransport.ts';
import { ConnectionError } from './errors.ts';
import type { Channel } from './exchange.ts';
import { logFailure, readAnswer, send } from './http.ts';
import type { RequestLines } from './requestLine.ts';
import type { ServerDialects } from './serverDialect.ts';
import { Session } from './session.ts';
import { authorizationOf } from './token.ts';
import type { Transport } from './transport.ts';

/** What is to be connected to, checked by §4.8. */
export interface Target extends AddressParts {
  readonly apiKey: string;
  readonly scheme?: TokenScheme | undefined;
  readonly transport?: TransportKind | undefined;
}

/** What a connection takes from its client. */
export interface ConnectParts extends Pick<Channel, 'log' | 'clock' | 'limits' | 'ended'> {
  readonly dialects: ServerDialects;
  /** The lines in which requests wait for their turn (D34). */
  readonly lines: RequestLines;
  /** How the network is reached now. */
  readonly network: NetworkSettings;
  /** What a connection with the transport `editor` sends with. */
  readonly fetch: Fetch;
}

/**
 * Sends the root query and makes a session of its answer (§4.1, §4.9). Rejects with ConnectionError (§4.8).
 * Its sockets are closed when `ended` is aborted, which is also to be done when this rejects.
 */
export async function connectTo(target: Target, parts: ConnectParts, signal?: AbortSignal): Promise<Session> {
  const address = baseAddress(target);
  const channel = openChannel(address, target, parts);
  const service = await askRoot(channel, address, signal);
  const apiPath = `${new URL(address).pathname.replace(/\/$/, '')}/api/v${String(apiVersion)}`;
  // The local service handles requests independently of each other.
  const inLine = service.pagesExactly ? channel : { ...channel, line: parts.lines.get(address) };
  return new Session({ channel: inLine, service, dialects: parts.dialects, apiPath });
}

/** The rejection of an attempt that was ended by another, or by the caller. */
export function overtaken(): ConnectionError {
  return new ConnectionError('connect: ended before it was done', { kind: 'cancelled' });
}

function openChannel(address: string, target: Target, parts: ConnectParts): Channel {
  const { log, clock, limits, ended } = parts;
  const { transport, proxySecrets } = transportTo(address, target, parts);
  ended.addEventListener('abort', () => transport.close(), { once: true });
  const authorization = authorizationOf(target.apiKey, target.scheme ?? undefined);
  const secrets = [target.apiKey, ...proxySecrets];
  return { transport, origin: new URL(address).origin, authorization, secrets, limits, clock, log, ended };
}

function transportTo(
  address: string,
  target: Target,
  { network, fetch, limits, clock }: ConnectParts,
): { readonly transport: Transport; readonly proxySecrets: readonly string[] } {
  if (target.transport === 'editor') return { transport: new EditorTransport(fetch, clock), proxySecrets: [] };
  const route = makeDispatcher(network, address, limits);
  return { transport: new DirectTransport(route), proxySecrets: route.proxy?.secrets ?? [] };
}

async function askRoot(channel: Channel, address: string, signal?: AbortSignal): Promise<ServiceInfo> {
  const request = { method: 'GET', path: new URL(address).pathname, isUniversal: true } as const;
  const outcome = await send(channel, request, signal);
  const read = outcome.kind === 'failed' ? outcome : readAnswer(request, outcome, readRoot);
  if (read.kind === 'read') {
    const pagesExactly = read.value.name === localServiceName;
    return { address, ...read.value, ...(pagesExactly && { pagesExactly }) };
  }
  const reason = withSuggestedAddress(read.reason, address);
  logFailure(channel, reason);
  const told = [reason.status, reason.kind, reason.code, reason.detail].filter((part) => part !== undefined);
  throw new ConnectionError(`connect: could not connect to ${address}: ${told.join(', ')}`, reason);
}
