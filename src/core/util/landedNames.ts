/** The name of the folder that a transfer's files land in, within the destination's folder (D24). */
export function landingFolderOf(transferId: string): string {
  return `dts-${transferId}`;
}

/** What the manifest in that folder is called (D24). */
export const manifestName = 'manifest.json';

/** What it is called where the transfer brings a file that has that name already. */
export function otherManifestName(transferId: string): string {
  return `manifest-${transferId}.json`;
}

/** Returns whether a manifest in a folder of this name was written by the local service: it has the folder's id (D24). */
export function isOwnManifest(folderName: string, manifestId: unknown): boolean {
  return typeof manifestId === 'string' && folderName === landingFolderOf(manifestId);
}
