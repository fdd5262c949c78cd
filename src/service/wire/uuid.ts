const hex = '[0-9a-fA-F]';
const dashed = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;
const plain = `${hex}{32}`;

/** Matches the forms of a UUID that the public server accepts: with or without dashes, in braces, as a URN. */
export const uuidPattern = new RegExp(`^(?:(?:[uU][rR][nN]:[uU][uU][iI][dD]:)?${dashed}|\\{${dashed}\\}|${plain})$`);

/** Returns the form with dashes and lower case letters, which answers have, for any that {@link uuidPattern} matches. */
export function canonicalUuid(text: string): string {
  const digits = text
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replaceAll(/[^0-9a-f]/g, '');
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  );
}
