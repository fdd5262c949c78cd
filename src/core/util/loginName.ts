import { userInfo } from 'node:os';
import { hasOrcidForm } from './orcid.ts';

/** Placeholder for a user whose login name is unknown. */
const unknownUser = 'local user';

/**
 * Returns the user's login name, or a placeholder if the name is unknown or could be mistaken for an ORCID iD (D19:
 * ORCID iD format).
 */
export function getLoginName(readName = (): string => userInfo().username): string {
  try {
    const name = readName().trim();
    return name === '' || hasOrcidForm(name) ? unknownUser : name;
  } catch {
    return unknownUser;
  }
}
