/** Returns the name of a transfer's own folder in the destination folder (D24: destination layout). */
export function getTransferFolderName(transferId: string): string {
  return `dts-${transferId}`;
}

/** Returns the name of the folder in a store in which a transfer's objects are unfinished; catalogs don't show it. */
export function getUploadFolderName(transferId: string): string {
  return `${getTransferFolderName(transferId)}.part-${transferId}`;
}

/** The name of the manifest in a transfer's folder (D24: destination layout). */
export const manifestName = 'manifest.json';

/** Returns the name of the manifest to use if a transferred file has the default one. */
export function getAlternateManifestName(transferId: string): string {
  return `manifest-${transferId}.json`;
}

/** Returns true if a manifest's ID is the one in its folder's name, as in manifests from the local service. */
export function isOwnManifest(folderName: string, manifestId: unknown): boolean {
  return typeof manifestId === 'string' && folderName === getTransferFolderName(manifestId);
}
