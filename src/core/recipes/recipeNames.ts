/** The end of a recipe's file name. */
export const recipeExtension = '.transfer.json';

/** Returns true for the path of a recipe; that of a lock ends in `.transfer.lock.json`. */
export function isRecipePath(path: string): boolean {
  return path.endsWith(recipeExtension);
}
