import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tls from 'node:tls';

/** The certificate and private key of a TLS server, both in PEM format. */
export interface ServerIdentity {
  readonly cert: string;
  readonly key: string;
}

function pem(name: string): string {
  return readFileSync(join(import.meta.dirname, 'certificates', `${name}.pem`), 'utf8');
}

/** Returns one of the checked-in server certificates with its key. `certificates/README.md` describes them. */
export function identity(name: 'good' | 'expired' | 'wrong-name'): ServerIdentity {
  return { cert: pem(name), key: pem('server-key') };
}

/** Makes this process trust the tests' certificate authority until `dispose` is called, as if the system trusted it. */
export function trustTestAuthority(): { dispose(): void } {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, pem('authority')]);
  return { dispose: () => tls.setDefaultCACertificates(before) };
}
