import { isFolderName } from './folderName.ts';

/** Returns the name of a transfer's own folder, the chosen one if any (D24: destination layout). */
export function getTransferFolderName(transferId: string, chosen?: string): string {
  return chosen ?? `dts-${transferId}`;
}

/** Returns the name of the file that claims a folder with a chosen name until it is complete; catalogs hide it. */
export function getClaimName(transferId: string): string {
  return `.part-${transferId}`;
}

/** Returns the ID of the transfer that marked a folder with a file of this name; undefined for another name. */
export function findClaimant(name: string): string | undefined {
  return /^\.part-([0-9a-f-]{36})$/.exec(name)?.[1];
}

/** Returns true for the name of a transfer's folder, but not for that of an unfinished transfer. */
export function isTransferFolder(name: string): boolean {
  return name.startsWith(getTransferFolderName('')) && !name.includes('.part-');
}

/** Returns the ID of the transfer whose folder has this name; undefined for the name of another folder. */
export function findFolderTransferId(name: string): string | undefined {
  return /^dts-([0-9a-f-]{36})$/.exec(name)?.[1];
}

/** Returns the path below a transfer's own folder, whose name may be one of `chosen`; other paths unchanged. */
export function removeTransferFolder(path: string, chosen: ReadonlySet<string>): string {
  const end = path.indexOf('/');
  return chosen.has(path.slice(0, end)) ? path.slice(end + 1) : path.replace(/^dts-[0-9a-f-]{36}\//, '');
}

/** Returns the name of the folder, hidden by catalogs, with an unfinished transfer's objects in a store. */
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

/** Returns those names that the manifest of any transfer can have. If there are several, it has the first one. */
export function findManifestNames(names: readonly string[]): readonly string[] {
  const alternates = names.filter((name) => /^manifest-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/.test(name));
  return names.includes(manifestName) ? [...alternates, manifestName] : alternates;
}

/** Returns true for the content of a transfer's manifest, and false for that of another data package. */
export function isTransferManifest({ name, keywords }: Readonly<Record<string, unknown>>): boolean {
  return name === 'manifest' && Array.isArray(keywords) && keywords.includes('dts');
}

/** Returns true if a manifest of the local service belongs to the folder in which it is, by that folder's name. */
export function isOwnManifest(folderName: string, manifest: Readonly<Record<string, unknown>>): boolean {
  const { id, folder } = manifest;
  if (typeof id !== 'string') return false;
  if (folderName === getTransferFolderName(id)) return true;
  return isFolderName(folder) && folderName === folder && isTransferManifest(manifest);
}
