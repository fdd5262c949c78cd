import type { Reason } from './reason.ts';

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
