import type { ExplorerSurroundings } from '../../src/core/explorer.ts';
import { plainNetwork } from '../../src/core/model/networkSettings.ts';

/** The person of the tests. */
export const orcid = '0000-0002-1825-0097';

/** The stored dialect of a test server that takes databases by name, so that no submission has to look it up first (D36). */
export function namesLearned(address: string, version = '1.2.3'): unknown {
  return { [address]: { version, dialect: { idsWanted: false } } };
}

/** Surroundings of a core that stands by itself: a person who looks at it, the plain network, nothing learned before. */
export function surroundingsOf(
  own: Pick<ExplorerSurroundings, 'log' | 'clock' | 'ledgerFolder'> & Partial<ExplorerSurroundings>,
): ExplorerSurroundings {
  return {
    orcid: () => orcid,
    timeoutSeconds: () => undefined,
    shortestMs: () => 1000,
    hasFocus: () => true,
    network: () => plainNetwork,
    fetch: async (address, init) => await fetch(address, init),
    dialects: undefined,
    keepDialects: () => undefined,
    rememberConnection: () => Promise.resolve(),
    searchability: undefined,
    saveSearchability: () => undefined,
    ...own,
  };
}
