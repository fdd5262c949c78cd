import { getLoginName } from '../../core/util/loginName.ts';
import { localConnectionId } from './machine.ts';
import type { Settings } from './settings.ts';

/**
 * Returns the `orcid` for a connection's requests: the ORCID iD or, for the local service, which accepts any text, the
 * login name (D19: ORCID iD format). Empty for any other service while no ORCID iD is set.
 */
export function getUserId({ orcid }: Pick<Settings, 'orcid'>, connectionId: string): string {
  return orcid || (connectionId === localConnectionId ? getLoginName() : '');
}
