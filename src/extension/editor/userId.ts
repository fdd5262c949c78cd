import { getLoginName } from '../../core/util/loginName.ts';
import { localConnectionId } from './machine.ts';
import type { Settings } from './settings.ts';

/**
 * Returns the `orcid` of a connection's requests: the ORCID iD, or the login name for the local service, which accepts
 * any text (D19: ORCID iD format). Empty if another service is used before an iD was set.
 */
export function getUserId({ orcid }: Pick<Settings, 'orcid'>, connectionId: string): string {
  return orcid || (connectionId === localConnectionId ? getLoginName() : '');
}
