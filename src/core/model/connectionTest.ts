import type { Reason } from './reason.ts';

/** The steps from an address to a service that accepts the key, in their order. */
export const testSteps = ['address', 'name', 'connect', 'tls', 'root', 'key'] as const;

/** One of them. */
export type TestStepName = (typeof testSteps)[number];

/** What a server showed to prove who it is; texts are the server's. */
export interface CertificateFacts {
  readonly issuer: string;
  /** The names that it was issued for. */
  readonly names: string;
  /** Its last day, as TLS tells it. */
  readonly validTo: string;
}

/** What a step found out, as far as it got. */
export interface TestFacts {
  /** The proxy on the way, without user name and password. */
  readonly proxy?: string;
  /** The host whose name was looked up: the proxy's, where there is one. */
  readonly host?: string;
  readonly addresses?: readonly string[];
  readonly certificate?: CertificateFacts;
  /** Certificates are not checked, by the person's own settings. */
  readonly isUnchecked?: boolean;
  /** Name and version that the root told (§2.1). */
  readonly service?: { readonly name: string; readonly version: string };
  readonly databaseCount?: number;
}

/**
 * How a step came out. `notNeeded`: there is nothing to do, as TLS for plain http, or the editor does it by itself.
 * A failed key step without a status means that there is no key to try.
 */
export interface TestStep {
  readonly name: TestStepName;
  readonly outcome: 'passed' | 'failed' | 'notNeeded' | 'notTried';
  readonly facts: TestFacts;
  readonly reason?: Reason;
}
