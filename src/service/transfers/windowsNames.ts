/** Characters with a meaning of their own in a path on Windows, such as `:` for an alternate data stream. */
const specialCharacters = /[\p{Cc}\\:*?"<>|]/u;
/** Windows drops these at the end of a name, so that it would denote another file. */
const droppedEnd = /[. ]$/;
/** Names of devices, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;

/**
 * Returns true if a name of a file or folder from a store denotes exactly this file on a platform. On Windows, it could
 * otherwise be several levels of a path (`..\..\x`), a stream of another file, or a device (D24: destination layout).
 */
export function isFileName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32' || !(specialCharacters.test(name) || droppedEnd.test(name) || deviceName.test(name));
}
