interface FileWithPath {
  readonly path: string;
}

/** A file whose path is also that of a folder, and a file in that folder. Only stores can have both. */
interface NestedFiles<T extends FileWithPath> {
  readonly outer: T;
  readonly inner: T;
}

/** Finds a file that would have the name of another one's folder; undefined if there is none. */
export function findNestedFiles<T extends FileWithPath>(files: readonly T[]): NestedFiles<T> | undefined {
  const folders = new Map<string, T>();
  for (const file of files)
    for (let end = file.path.lastIndexOf('/'); end > 0; end = file.path.lastIndexOf('/', end - 1)) {
      const folder = file.path.slice(0, end);
      if (folders.has(folder)) break;
      folders.set(folder, file);
    }
  for (const outer of files) {
    const inner = folders.get(outer.path);
    if (inner !== undefined) return { outer, inner };
  }
  return undefined;
}
