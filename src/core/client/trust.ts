import * as tls from 'node:tls';
import type { NetworkSettings } from '../model/networkSettings.ts';

/**
 * Returns the TLS options that determine which certificates are accepted. The trusted authorities are the runtime's,
 * those in `NODE_EXTRA_CA_CERTS` and, unless the settings exclude them, the system's. A runtime that cannot list its
 * authorities uses its defaults. If the settings disable strict checks, every certificate is accepted.
 */
export function getTrustOptions(
  settings: NetworkSettings,
): Pick<tls.ConnectionOptions, 'secureContext'> & { readonly rejectUnauthorized: boolean } {
  const rejectUnauthorized = settings.strictCertificates;
  const ca = rejectUnauthorized ? getAuthorities(settings.systemCertificates, tls) : undefined;
  return { rejectUnauthorized, ...(ca && { secureContext: tls.createSecureContext({ ca }) }) };
}

/**
 * Returns the trusted certificate authorities; undefined on runtimes that cannot list them, such as Node.js before
 * 22.15.
 */
function getAuthorities(withSystem: boolean, { getCACertificates }: Partial<typeof tls>): string[] | undefined {
  if (!getCACertificates) return undefined;
  const system = withSystem ? getCACertificates('system') : [];
  return [...new Set([...getCACertificates('default'), ...system])];
}
