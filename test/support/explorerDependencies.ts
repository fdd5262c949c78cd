import type { Explorer } from '../../src/core/explorer.ts';
import { plainNetwork } from '../../src/core/model/networkSettings.ts';

type ExplorerDependencies = ConstructorParameters<typeof Explorer>[0];

/** The ORCID iD of the test user. */
export const orcid = '0000-0002-1825-0097';

/**
 * Returns the dialects that are saved after a test server is found to accept database names. With these dialects, no
 * submission has to find this out first (D36: names before submission).
 */
export function namesLearned(address: string, version = '1.2.3'): unknown {
  return { [address]: { version, dialect: { idsWanted: false } } };
}

/**
 * Returns the dependencies of a core without an editor: a focused window, default network settings, and nothing learned
 * about servers yet.
 */
export function createExplorerDependencies(
  own: Pick<ExplorerDependencies, 'log' | 'clock' | 'ledgerFolder'> & Partial<ExplorerDependencies>,
): ExplorerDependencies {
  return {
    getOrcid: () => orcid,
    getTimeoutSeconds: () => undefined,
    getMinIntervalMs: () => 1000,
    hasFocus: () => true,
    getNetworkSettings: () => plainNetwork,
    fetch: async (address, init) => await fetch(address, init),
    ...own,
  };
}
