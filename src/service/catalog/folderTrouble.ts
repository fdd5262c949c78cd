/** The code of {@link FolderTrouble}, by which it is known in another thread. */
export const folderTroubleCode = 'FOLDER_TROUBLE';

/** The folder is not there, or cannot be read: the message is a sentence for people. */
export class FolderTrouble extends Error {
  override readonly name = 'FolderTrouble';
  readonly code = folderTroubleCode;
}
