const form = /^(?:https?:\/\/orcid\.org\/)?(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])$/i;

/** Returns true for a text with the form of an ORCID iD, whatever its check digit (D19). */
export function hasOrcidForm(text: string): boolean {
  return form.test(text.trim());
}

/**
 * Reads an ORCID iD, also as `https://orcid.org/…`, and returns it as `0000-0000-0000-000X`,
 * or undefined when its form or its check digit (ISO 7064 mod 11-2) is wrong (D19).
 */
export function parseOrcid(text: string): string | undefined {
  const groups = form.exec(text.trim())?.slice(1);
  if (!groups) return undefined;
  const orcid = groups.join('-').toUpperCase();
  const characters = orcid.replaceAll('-', '');
  let total = 0;
  for (const digit of characters.slice(0, -1)) total = (total + Number(digit)) * 2;
  const check = (12 - (total % 11)) % 11;
  return characters.endsWith(check === 10 ? 'X' : String(check)) ? orcid : undefined;
}
