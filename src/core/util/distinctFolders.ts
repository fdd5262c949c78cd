/** A file with its display name and its path, if known, or else its ID. */
interface NamedFile {
  readonly name: string;
  readonly path?: string;
  readonly id: string;
}

/**
 * Returns, for each file, the shortest part of its folder that distinguishes it from the others with the same name:
 * `liver` for `a/liver/x.csv` beside `a/lung/x.csv`, or `liver/…` if more folders follow. Returns an empty string for a
 * name that no other file has, or if the paths don't differ.
 */
export function findDistinctFolders(files: readonly NamedFile[]): readonly string[] {
  const groups = new Map<string, number[]>();
  for (const [index, { name }] of files.entries()) {
    const group = groups.get(name);
    if (group) group.push(index);
    else groups.set(name, [index]);
  }
  const found = files.map(() => '');
  for (const group of groups.values()) {
    const folders = group.map((index) => listFolders(files[index]));
    const { start, end } = findCommonEnds(folders);
    for (const [position, index] of group.entries()) {
      const own = folders[position] ?? [];
      const distinct = own.slice(start, own.length - end).join('/');
      found[index] = distinct === '' || end === 0 ? distinct : `${distinct}/…`;
    }
  }
  return found;
}

function listFolders(file: NamedFile | undefined): readonly string[] {
  return (file?.path ?? file?.id ?? '').split('/').slice(0, -1);
}

/** Returns the number of folders at the start and at the end that all paths share. */
function findCommonEnds(all: readonly (readonly string[])[]): { readonly start: number; readonly end: number } {
  const [first = []] = all;
  const shortest = all.reduce((length, folders) => Math.min(length, folders.length), first.length);
  let [start, end] = [0, 0];
  while (start < shortest && all.every((folders) => folders[start] === first[start])) start += 1;
  while (end < shortest - start && all.every((folders) => folders.at(-1 - end) === first.at(-1 - end))) end += 1;
  return { start, end };
}
