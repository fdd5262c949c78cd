/**
 * Reports the coverage of the source folders listed below: `node scripts/rings/coverage.mjs FOLDER`. FOLDER contains a
 * V8 coverage file from every process and thread. Prints a line for each source folder, and exits with code 1 if
 * coverage is too low.
 *
 * Counts only code that was loaded from `src`, not from bundles. A file that was never loaded counts as uncovered.
 * Types and comments don't count.
 */
import { mergeProcessCovs } from '@bcoe/v8-coverage';
import { parse } from 'acorn';
import { convert } from 'ast-v8-to-istanbul';
import istanbul from 'istanbul-lib-coverage';
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, say } from '../setup/steps.mjs';

const folders = ['src/core', 'src/contract', 'src/service'];
const leastPercent = { lines: 90, branches: 85 };

const countsFolder = process.argv[2];

/** Returns the merged coverage of all processes, keyed by file URL. */
function mergedCounts(isWanted) {
  const merged = readdirSync(countsFolder).reduce(
    (sum, name) => {
      const { result } = JSON.parse(readFileSync(join(countsFolder, name), 'utf8'));
      return mergeProcessCovs([sum, { result: result.filter(({ url }) => isWanted(url)) }]);
    },
    { result: [] },
  );
  return new Map(merged.result.map((counts) => [counts.url, counts]));
}

/** Returns the coverage of a file that was never loaded. */
function createEmptyCoverage(url, code) {
  const ranges = [{ startOffset: 0, endOffset: code.length, count: 0 }];
  return { url, functions: [{ functionName: '', ranges, isBlockCoverage: true }] };
}

/**
 * Converts the coverage of a file from V8's format to Istanbul's. Node.js replaces types with spaces, so V8's offsets
 * also apply to the stripped code.
 */
async function coverageOf(path, url, counts) {
  const code = stripTypeScriptTypes(readFileSync(path, 'utf8'));
  const ast = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  return await convert({ code, ast, coverage: counts ?? createEmptyCoverage(url, code), wrapperLength: 0 });
}

/** Prints the coverage of a folder. Returns true if it reaches the required percentages. */
function isEnough(folder, summary) {
  const kinds = Object.entries(leastPercent);
  const shares = kinds.map(([kind, least]) => `${kind} ${summary[kind].pct}% (at least ${least}%)`);
  say(`coverage of ${folder}: ${shares.join(', ')}`);
  return kinds.every(([kind, least]) => summary[kind].pct >= least);
}

const paths = globSync(
  folders.map((folder) => `${folder}/**/!(*.d).ts`),
  { cwd: root },
).map((path) => join(root, path));
const urls = new Map(paths.map((path) => [path, pathToFileURL(path).href]));
const wanted = new Set(urls.values());
const counts = mergedCounts((url) => wanted.has(url));
for (const folder of folders) {
  const map = istanbul.createCoverageMap();
  for (const [path, url] of urls) {
    if (path.startsWith(join(root, folder, '/'))) map.merge(await coverageOf(path, url, counts.get(url)));
  }
  if (!isEnough(folder, map.getCoverageSummary())) process.exitCode = 1;
}
