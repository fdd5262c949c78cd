/** The encoding of the token in the `Authorization` header (D5: token encoding). */
export type TokenScheme = 'base64' | 'plain';

/** The transport for requests: the client's own connections, or the editor's `fetch` with its proxy support. */
type TransportKind = 'direct' | 'editor';

/** A saved service. Never contains the key. */
export interface Connection {
  /** The extension's own ID of the connection, by which transfer records refer to it (D29: shared service). */
  readonly id: string;
  readonly name: string;
  /** Address as the user entered it, with `http://` or `https://`. */
  readonly server: string;
  readonly port?: number;
  readonly scheme?: TokenScheme;
  /** Allows the key to be sent over plain HTTP to an address that is not loopback (D4: server address). */
  readonly allowInsecureHttp?: boolean;
  readonly transport?: TransportKind;
  /** Name of the environment variable that contains the key, for editors without secret storage. */
  readonly apiKeyVariable?: string;
}

const localPrefix = 'local@';

/** Returns the ID of the connection to a machine's local service (D29: shared service). */
export function getLocalConnectionId(machine: string): string {
  return localPrefix + machine;
}

/** Returns the machine of a local service's connection; undefined for any other connection. */
export function getMachine(connectionId: string): string | undefined {
  if (!connectionId.startsWith(localPrefix)) return undefined;
  // The ledger adds the editor that the service belongs to (D63: shared ledger folder).
  return connectionId.slice(localPrefix.length).split(':', 1)[0];
}

/** The description of a service from its root document (§4.9). */
export interface ServiceInfo {
  /** Normalized address, without a trailing slash (D4: server address). */
  readonly address: string;
  readonly name: string;
  readonly version: string;
  /** True if every page except the last is full, as with the local service (D21: search syntax). */
  readonly pagesExactly?: boolean;
}
