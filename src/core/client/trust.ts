import * as tls from 'node:tls';
import type { NetworkSettings } from '../model/networkSettings.ts';

/**
 * Returns TLS options with the trusted certificate authorities: the runtime's, those in `NODE_EXTRA_CA_CERTS` and,
 * unless the settings exclude them, the system's. A runtime that cannot list its authorities uses its defaults.
 */
export function getTrustOptions(
  settings: NetworkSettings,
): Pick<tls.ConnectionOptions, 'secureContext'> & { readonly rejectUnauthorized: boolean } {
  const rejectUnauthorized = settings.strictCertificates;
  const ca = rejectUnauthorized ? getAuthorities(settings.systemCertificates, tls) : undefined;
  return { rejectUnauthorized, ...(ca && { secureContext: tls.createSecureContext({ ca }) }) };
}

/** Returns undefined on runtimes older than Node 22.15, which lack the function. */
function getAuthorities(withSystem: boolean, { getCACertificates }: Partial<typeof tls>): string[] | undefined {
  if (!getCACertificates) return undefined;
  const system = withSystem ? getCACertificates('system') : [];
  return [...new Set([...getCACertificates('default'), ...system])];
}
