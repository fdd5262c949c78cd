/** The field of a submission's instructions with the chosen name of the transfer's folder (D24: destination layout). */
export const folderField = 'folder';

/** Names, among the `features` of a root document, that the service knows {@link folderField}. */
export const folderFeature = 'instructions.folder';

const maxLength = 80;
/** The characters that every file system, store, shell and pattern takes as they are. */
const plainName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._+=@-]*$/u;
const droppedEnd = /[. ]$/;
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;
/** The names of other transfers' folders and of unfinished files. */
const reservedName = /^dts-|\.part-/i;

/** Completes a sentence about a name that {@link isFolderName} rejects. */
export const folderNameRule =
  'must be one plain name of at most 80 letters, digits, spaces and . _ - + = @, beginning with a letter, a digit or ' +
  '_, not ending with a dot or space, and not reserved, such as nul, dts-… or ….part-…';

/** Returns true for a name that can be chosen for a transfer's folder (D24: destination layout). */
export function isFolderName(name: unknown): name is string {
  if (typeof name !== 'string' || name.length > maxLength || !plainName.test(name)) return false;
  return !droppedEnd.test(name) && !reservedName.test(name) && !isDeviceName(name);
}

/** Returns true if Windows takes a file name for that of a device. */
export function isDeviceName(name: string): boolean {
  return deviceName.test(name);
}
