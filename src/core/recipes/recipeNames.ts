/** The suffix of a recipe's file name. */
export const recipeExtension = '.transfer.json';

/** Returns true for the path of a recipe, but not for the path of a lock, which ends in `.transfer.lock.json`. */
export function isRecipePath(path: string): boolean {
  return path.endsWith(recipeExtension);
}
