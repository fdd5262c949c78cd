import { getLoginName } from '../../core/util/userIdentity.ts';
import { localConnectionId } from './machine.ts';
import type { Settings } from './settings.ts';

/**
 * Returns the `orcid` value for a connection's requests: the user's ORCID iD, if set. Otherwise, returns the login name
 * for the local service, which accepts any text, or an empty string for other services (D19: ORCID iD format).
 */
export function getUserId({ orcid }: Pick<Settings, 'orcid'>, connectionId: string): string {
  return orcid || (connectionId === localConnectionId ? getLoginName() : '');
}
