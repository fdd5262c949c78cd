const partFile = /\.part-[0-9a-f-]{36}$/;
const hiddenPart = /(?:^|\/)\.|\.part-[0-9a-f-]{36}(?:\/|$)/;

/** Returns true for names that aren't served: those with a leading dot, and those of unfinished copies. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || partFile.test(name);
}

/** Returns true for a path that isn't served because a part of it is hidden. */
export function hasHiddenPart(path: string): boolean {
  return hiddenPart.test(path);
}
