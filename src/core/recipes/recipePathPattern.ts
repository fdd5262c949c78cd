/**
 * Returns the positions in a path at which a part of a pattern can end, given the positions at which it can start. Both
 * lists are in ascending order.
 */
type PatternPart = (path: string, starts: readonly number[]) => readonly number[];

const wildcards: Readonly<Record<string, PatternPart>> = {
  '?': (path, starts) => starts.filter((at) => isInFolder(path, at)).map((at) => at + 1),
  '*': skipInFolder,
  '**': (path, [first = Infinity]) => listPlaces(first, path.length),
  '**/': skipFolders,
};

/**
 * Matches entire paths against a pattern: `*` and `?` match within a folder, `**` across folders. Takes time
 * proportional to the length of the path times the length of the pattern, unlike a regular expression, which could
 * block the program for hours.
 */
export class PathPattern {
  private readonly parts: readonly PatternPart[];

  constructor(pattern: string) {
    const texts = pattern.match(/\*{2,}\/?|[*?]|[^*?]+/g) ?? [];
    this.parts = texts.map((text) => wildcards[text.replace(/\*{2,}/, '**')] ?? createLiteral(text));
  }

  matches(path: string): boolean {
    let places: readonly number[] = [0];
    for (const part of this.parts) places = part(path, places);
    return places.at(-1) === path.length;
  }
}

function isInFolder(path: string, at: number): boolean {
  return at < path.length && path[at] !== '/';
}

function createLiteral(text: string): PatternPart {
  return (path, starts) => starts.filter((at) => path.startsWith(text, at)).map((at) => at + text.length);
}

function listPlaces(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function skipInFolder(path: string, starts: readonly number[]): readonly number[] {
  const ends: number[] = [];
  for (const start of starts) {
    // An earlier start in the same folder already covers these positions.
    if (start <= (ends.at(-1) ?? -1)) continue;
    let at = start;
    while (isInFolder(path, at)) ends.push(at++);
    ends.push(at);
  }
  return ends;
}

/** Skips any number of folders, including none, with their slashes. */
function skipFolders(path: string, starts: readonly number[]): readonly number[] {
  const [first = path.length] = starts;
  const ends = [...starts];
  for (let at = path.indexOf('/', first); at >= 0; at = path.indexOf('/', at + 1)) ends.push(at + 1);
  return starts.length > 1 ? [...new Set(ends)].sort((one, other) => one - other) : ends;
}
