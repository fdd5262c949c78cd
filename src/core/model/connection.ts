/** How the token is written into the `Authorization` header (D5). */
export type TokenScheme = 'base64' | 'plain';

/** What carries the requests: our own connections, or the editor's `fetch` with all that it knows of proxies. */
export type TransportKind = 'direct' | 'editor';

/** A service that a person saved. The key is never part of it. */
export interface Connection {
  /** Our own id; records of transfers name it (D29). */
  readonly id: string;
  readonly name: string;
  /** Address as the person wrote it, with `http://` or `https://`. */
  readonly server: string;
  readonly port?: number;
  readonly scheme?: TokenScheme;
  /** Lets the key travel over plain http to an address that is not loopback (D4). */
  readonly allowInsecureHttp?: boolean;
  readonly transport?: TransportKind;
  /** Name of the environment variable that holds the key, where the editor keeps no secrets. */
  readonly apiKeyVariable?: string;
}

const localPrefix = 'local@';

/** Id of the connection to the local service of a machine (D29). */
export function localIdOf(machine: string): string {
  return localPrefix + machine;
}

/** The machine whose local service a connection leads to; undefined for any other connection. */
export function machineOf(connectionId: string): string | undefined {
  return connectionId.startsWith(localPrefix) ? connectionId.slice(localPrefix.length) : undefined;
}

/** What the root document told of a service (§4.9). */
export interface ServiceInfo {
  /** Address as used, without a trailing slash (D4). */
  readonly address: string;
  readonly name: string;
  readonly version: string;
  /** Whether a page holds exactly what was asked for, so that a short one is the last: our local service's do (D21). */
  readonly pagesExactly?: boolean;
}
