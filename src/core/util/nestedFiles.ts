interface FileWithPath {
  readonly path: string;
}

/** A file whose path is also that of a folder, and a file in that folder. Only stores can have both. */
interface NestedFiles<T extends FileWithPath> {
  readonly outer: T;
  readonly inner: T;
}

/** Finds a file that would have the name of another one's folder, if any. Ignores files whose path is unknown. */
export function findNestedFiles<T extends { readonly path?: string | undefined }>(
  files: readonly T[],
): NestedFiles<T & FileWithPath> | undefined {
  const placed = files.filter((file): file is T & FileWithPath => file.path !== undefined);
  const folders = new Map<string, T & FileWithPath>();
  for (const file of placed)
    for (let end = file.path.lastIndexOf('/'); end > 0; end = file.path.lastIndexOf('/', end - 1)) {
      const folder = file.path.slice(0, end);
      if (folders.has(folder)) break;
      folders.set(folder, file);
    }
  for (const outer of placed) {
    const inner = folders.get(outer.path);
    if (inner !== undefined) return { outer, inner };
  }
  return undefined;
}
