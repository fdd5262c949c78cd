import { userInfo } from 'node:os';

const orcidPattern = /^(?:https?:\/\/orcid\.org\/)?(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])$/i;

/** Returns true if a string has the form of an ORCID iD. Ignores the check digit (D19: ORCID iD format). */
export function hasOrcidForm(text: string): boolean {
  return orcidPattern.test(text.trim());
}

/**
 * Parses an ORCID iD or its `https://orcid.org/…` address, and returns it as `0000-0000-0000-000X`. Returns undefined
 * if the form or the check digit (ISO 7064 mod 11-2) is invalid (D19: ORCID iD format).
 */
export function parseOrcid(text: string): string | undefined {
  const groups = orcidPattern.exec(text.trim())?.slice(1);
  if (!groups) return undefined;
  const orcid = groups.join('-').toUpperCase();
  const characters = orcid.replaceAll('-', '');
  let total = 0;
  for (const digit of characters.slice(0, -1)) total = (total + Number(digit)) * 2;
  const check = (12 - (total % 11)) % 11;
  return characters.endsWith(check === 10 ? 'X' : String(check)) ? orcid : undefined;
}

/** Placeholder for a user whose login name is unknown. */
const unknownUser = 'local user';

/** Returns the login name, or a placeholder if it is unknown or like an ORCID iD (D19: ORCID iD format). */
export function getLoginName(readName = (): string => userInfo().username): string {
  try {
    const name = readName().trim();
    return name === '' || hasOrcidForm(name) ? unknownUser : name;
  } catch {
    return unknownUser;
  }
}
