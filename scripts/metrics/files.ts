import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Import } from './imports.ts';
import type { Source } from './sources.ts';

/** Below this number of lines, a file that only one file beside it imports needs a reason. */
const smallFileLines = 40;
const longLineLength = 100;

/** Returns the small files that one file imports, which is in the same folder. They may be parts of one thought. */
export function findSmallFiles(sources: readonly Source[], imports: readonly Import[]): string[] {
  return sources
    .filter(({ text }) => countLines(text) < smallFileLines)
    .flatMap(({ path, text }) => {
      const [importer, ...others] = new Set(imports.filter(({ to }) => to === path).map(({ from }) => from));
      const isBeside = importer !== undefined && posix.dirname(importer) === posix.dirname(path);
      return isBeside && others.length === 0 ? [`${path} (${countLines(text)} lines): ${importer}`] : [];
    });
}

/** Returns the share of lines that are longer than 100 characters, as a percentage with two decimals. */
export function measureLongLines(sources: readonly Source[]): number {
  const lines = sources.flatMap(({ text }) => text.split('\n').slice(0, -1));
  const longLines = lines.filter(({ length }) => length > longLineLength);
  return Math.round((10_000 * longLines.length) / lines.length) / 100;
}

/**
 * Returns the number of words in the documents of the repository's folder and of `docs`. Leaves out the changelog, which
 * grows with each release.
 */
export function countWords(root: string): number {
  const files = globSync(['*.md', 'docs/**/*.md'], { cwd: root, exclude: ['CHANGELOG.md'] });
  return files.reduce((sum, file) => sum + (readFileSync(join(root, file), 'utf8').match(/\S+/g)?.length ?? 0), 0);
}

/** Returns the number of lines in a text that ends with a line break. */
export function countLines(text: string): number {
  return text.split('\n').length - 1;
}
