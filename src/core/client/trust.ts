import * as tls from 'node:tls';
import type { NetworkSettings } from '../model/networkSettings.ts';

/** What TLS needs to know of whom to trust. */
export interface Trust {
  readonly secureContext?: tls.SecureContext;
  readonly rejectUnauthorized: boolean;
}

/**
 * Whom to trust: the authorities that the runtime brings (with those of `NODE_EXTRA_CA_CERTS`) and, unless the
 * settings leave them out, the system's. A runtime that cannot tell its authorities uses its own.
 */
export function trustOf(settings: NetworkSettings): Trust {
  const rejectUnauthorized = settings.strictCertificates;
  const ca = rejectUnauthorized ? authorities(settings.systemCertificates, tls) : undefined;
  return { rejectUnauthorized, ...(ca && { secureContext: tls.createSecureContext({ ca }) }) };
}

/** Runtimes older than Node 22.15 lack the function. */
function authorities(withSystem: boolean, { getCACertificates }: Partial<typeof tls>): string[] | undefined {
  if (!getCACertificates) return undefined;
  const system = withSystem ? getCACertificates('system') : [];
  return [...new Set([...getCACertificates('default'), ...system])];
}
