/** Returns the name of a transfer's own folder in the destination folder (D24: destination layout). */
export function getTransferFolderName(transferId: string): string {
  return `dts-${transferId}`;
}

/** Returns true for the name of a transfer's folder, but not for that of an unfinished transfer. */
export function isTransferFolder(name: string): boolean {
  return name.startsWith(getTransferFolderName('')) && !name.includes('.part-');
}

/** Returns the ID of the transfer whose folder has this name; undefined for the name of another folder. */
export function findFolderTransferId(name: string): string | undefined {
  return /^dts-([0-9a-f-]{36})$/.exec(name)?.[1];
}

/** Returns the path below a transfer's own folder; other paths unchanged. */
export function removeTransferFolder(path: string): string {
  return path.replace(/^dts-[0-9a-f-]{36}\//, '');
}

/**
 * Returns the name of the folder that holds an unfinished transfer's objects in a store. Catalogs ignore this folder.
 */
export function getUploadFolderName(transferId: string): string {
  return `${getTransferFolderName(transferId)}.part-${transferId}`;
}

/** The name of the manifest in a transfer's folder (D24: destination layout). */
export const manifestName = 'manifest.json';

/** Returns the manifest's name for a transfer that contains a file with the default name. */
export function getAlternateManifestName(transferId: string): string {
  return `manifest-${transferId}.json`;
}

/**
 * Returns the names that the manifest in a transfer's folder can have. If files with both names exist, the manifest has
 * the first name, and the other file was transferred (D24: destination layout).
 */
export function getManifestNames(transferId: string): readonly string[] {
  return [getAlternateManifestName(transferId), manifestName];
}

/** Returns true for the content of a transfer's manifest, and false for that of another data package. */
export function isTransferManifest({ name, keywords }: Readonly<Record<string, unknown>>): boolean {
  return name === 'manifest' && Array.isArray(keywords) && keywords.includes('dts');
}

/** Returns true if a folder is named after its manifest's ID, which is how the local service names transfer folders. */
export function isOwnManifest(folderName: string, manifestId: unknown): boolean {
  return typeof manifestId === 'string' && folderName === getTransferFolderName(manifestId);
}
