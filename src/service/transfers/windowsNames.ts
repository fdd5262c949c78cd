/** Characters with a special meaning in Windows paths, such as `:` for an alternate data stream. */
const specialCharacters = /[\p{Cc}\\:*?"<>|]/u;
/** Characters that Windows drops at the end of a name, so that the name denotes another file. */
const droppedEnd = /[. ]$/;
/** Device names, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;

/**
 * Returns true if a file or folder name from a store is a plain name on `platform`. On Windows, other names can denote
 * several levels of a path (`..\..\x`), a stream of another file, or a device (D24: destination layout).
 */
export function isFileName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32' || !(specialCharacters.test(name) || droppedEnd.test(name) || deviceName.test(name));
}
