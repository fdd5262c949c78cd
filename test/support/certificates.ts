import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tls from 'node:tls';

/** What a TLS server shows, and the key to it; both as PEM. */
export interface ServerIdentity {
  readonly cert: string;
  readonly key: string;
}

function pem(name: string): string {
  return readFileSync(join(import.meta.dirname, 'certificates', `${name}.pem`), 'utf8');
}

/** A server with one of the committed certificates; `certificates/README.md` says what they are. */
export function identity(name: 'good' | 'expired' | 'wrong-name'): ServerIdentity {
  return { cert: pem(name), key: pem('server-key') };
}

/** Lets this process trust the tests' authority, as a machine does whose owner added it; `dispose` ends that. */
export function trustTestAuthority(): { dispose(): void } {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, pem('authority')]);
  return { dispose: () => tls.setDefaultCACertificates(before) };
}
