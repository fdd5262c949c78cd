import { getLoginName } from '../../core/util/loginName.ts';
import { localConnectionId } from './machine.ts';
import type { Settings } from './settings.ts';

/**
 * Returns the `orcid` for a connection's requests: the ORCID iD if one is set. Otherwise, returns the login name for
 * the local service, which accepts any text, and an empty string for any other service (D19: ORCID iD format).
 */
export function getUserId({ orcid }: Pick<Settings, 'orcid'>, connectionId: string): string {
  return orcid || (connectionId === localConnectionId ? getLoginName() : '');
}
