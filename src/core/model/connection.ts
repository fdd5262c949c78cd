import type { Reason } from './reason.ts';

/** The encoding of the token in the `Authorization` header (D5: token encoding). */
export type TokenScheme = 'base64' | 'plain';

/** The transport for requests: the client's own connections, or the editor's `fetch` with its proxy support. */
type TransportKind = 'direct' | 'editor';

/** A saved connection to a service. Never contains the API key. */
export interface Connection {
  /** The extension's own ID for the connection, to which transfer records refer (D29: shared service). */
  readonly id: string;
  readonly name: string;
  /** The address as the user entered it, including `http://` or `https://`. */
  readonly server: string;
  readonly port?: number;
  readonly scheme?: TokenScheme;
  /** True if the key may be sent over plain HTTP to a non-loopback address (D4: server address). */
  readonly allowInsecureHttp?: boolean;
  readonly transport?: TransportKind;
  /** The environment variable that contains the key, for editors without secret storage. */
  readonly apiKeyVariable?: string;
}

/** Returns a connection's address as entered, including its port. Doesn't check that the address is usable. */
export function getEnteredAddress({ server, port }: Pick<Connection, 'server' | 'port'>): string {
  return port === undefined ? server : `${server.trim().replace(/\/+$/, '')}:${port}`;
}

/**
 * Returns a name for a new connection, different from all `taken` names. If the given name is taken, appends the host
 * and, if necessary, a number.
 */
export function chooseConnectionName(
  name: string,
  connection: Pick<Connection, 'server' | 'port'>,
  taken: ReadonlySet<string>,
): string {
  if (!taken.has(name)) return name;
  const nameWithHost = `${name} (${formatHost(connection)})`;
  let free = nameWithHost;
  for (let number = 2; taken.has(free); number += 1) free = `${nameWithHost} ${number}`;
  return free;
}

/** Returns a connection's host and any non-default port. Returns the address as entered if the address isn't valid. */
export function formatHost(connection: Pick<Connection, 'server' | 'port'>): string {
  const address = getEnteredAddress(connection);
  return URL.canParse(address) ? new URL(address).host : address;
}

const localPrefix = 'local@';

/** Returns the ID of the connection to a machine's local service (D29: shared service). */
export function getLocalConnectionId(machine: string): string {
  return localPrefix + machine;
}

/** Returns the machine whose local service a connection refers to; undefined for other connections. */
export function getMachine(connectionId: string): string | undefined {
  if (!connectionId.startsWith(localPrefix)) return undefined;
  // In the ledger, the ID ends with `:` and the editor that the service belongs to (D63: shared ledger folder).
  return connectionId.slice(localPrefix.length).split(':', 1)[0];
}

/** A service, as described by its root document (§4.9). */
export interface ServiceInfo {
  /** Normalized address, without a trailing slash (D4: server address). */
  readonly address: string;
  readonly name: string;
  readonly version: string;
  /** True if every page except the last is full, as with the local service (D21: search syntax). */
  readonly hasFullPages?: boolean;
  /** True if a submission can choose the name of the transfer's folder (D24: destination layout). */
  readonly canChooseFolder?: boolean;
  /** True if a submission can name what is started after the transfer (D72: follow-ups). */
  readonly canFollowUp?: boolean;
  /** True if the content of files can be requested without a transfer. */
  readonly canReadContent?: boolean;
}

/**
 * Returns true if a URL's `hostname` is `localhost` or a loopback address. Subdomains of `localhost` are excluded,
 * because some systems resolve them over the network, where another machine could receive the key.
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** The steps of a connection test, in order. */
export const testSteps = ['address', 'name', 'connect', 'tls', 'root', 'key'] as const;

/** The name of a step of a connection test. */
export type TestStepName = (typeof testSteps)[number];

/** The properties of a server's certificate, as untrusted text. Missing properties are empty strings. */
export interface CertificateFacts {
  readonly issuer: string;
  readonly names: string;
  readonly validTo: string;
}

/** The facts determined by a step of a connection test. */
export interface TestFacts {
  /** The proxy's address, without credentials. */
  readonly proxy?: string;
  /** The resolved host: the proxy's host if a proxy is used. */
  readonly host?: string;
  readonly addresses?: readonly string[];
  readonly certificate?: CertificateFacts;
  /** True if the settings turn off certificate verification. */
  readonly isUnchecked?: boolean;
  readonly service?: { readonly name: string; readonly version: string };
  readonly databaseCount?: number;
}

/**
 * The result of a step. `notNeeded` means that the step does not apply, such as TLS for plain HTTP, or that the editor
 * performs it. A failed `key` step with the reason `unauthorized` and no status means that there is no key.
 */
export interface TestStep {
  readonly name: TestStepName;
  readonly outcome: 'passed' | 'failed' | 'notNeeded' | 'notTried';
  readonly facts: TestFacts;
  readonly reason?: Reason;
}
