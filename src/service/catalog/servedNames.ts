const partFile = /\.part-[0-9a-f-]{36}$/;

/** Whether a name is not served: it begins with a dot, or is an unfinished copy. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || partFile.test(name);
}

/** Whether any part of a path is hidden. */
export function hasHiddenPart(path: string): boolean {
  return path !== '' && path.split('/').some(isHidden);
}
