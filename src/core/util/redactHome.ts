const separator = String.raw`[\\/]{1,4}`;

/** Matches the end of a name, even before a period that ends a sentence. */
const nameEnd = String.raw`(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}_-])`;

/**
 * Replaces the path to the home folder with `~`. Finds the path with either separator, and escaped for JSON or URIs.
 * Ignores case, because the case of drive letters varies on Windows. Does nothing if the home folder is a root folder.
 */
export function redactHome(text: string, home: string): string {
  const [root = '', ...names] = home.replace(/[\\/]+$/, '').split(/[\\/]+/);
  if (names.length === 0) return text;
  return text.replaceAll(new RegExp([root, ...names].map(toPattern).join(separator) + nameEnd, 'giu'), '~');
}

function toPattern(name: string): string {
  return `(?:${escapePattern(name)}|${escapePattern(encodeURIComponent(name))})`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
