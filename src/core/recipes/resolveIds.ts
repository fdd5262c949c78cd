import { filterMissingIds, type MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import { createFileTest } from './fileFilters.ts';
import { createRecipeFileReader, type RecipeFile } from './recipeFile.ts';
import type { RecipeFilters } from './recipeSchema.ts';
import type { RecipeSource } from './recipeSource.ts';
import { createFailure, type ResolvedFiles } from './resolvedFiles.ts';

/** Number of IDs to look up between two progress reports. */
const batchSize = 2_000;

interface IdRequest {
  readonly database: string;
  readonly ids: readonly string[];
  readonly filters?: RecipeFilters | undefined;
  /** The files in a lock. Their texts are reused for unchanged files to save memory. */
  readonly known?: readonly RecipeFile[];
}

/**
 * Looks up files by ID, and resolves to those that pass the filters. `missing` lists the IDs for which the service
 * returned no readable file. If a lookup fails, the result contains the failure and no files (D8: metadata by ids).
 */
export async function resolveIds(source: RecipeSource, request: IdRequest): Promise<ResolvedFiles> {
  const { database, ids, filters, known = [] } = request;
  const before = new Map(known.map((file) => [file.id, file]));
  const unique = [...new Set(ids)];
  const fits = createFileTest(filters);
  const toRecipeFile = createRecipeFileReader(source);
  const found = new Set<string>();
  const files = new Map<string, RecipeFile>();
  for (let done = 0; done < unique.length; done += batchSize) {
    const reply = await source.lookUpIds(database, unique.slice(done, done + batchSize));
    const reason = reply.failure ?? findFailure(reply.refused);
    if (reason) return createFailure({ kind: 'service', reason });
    // Keeps only the identifying properties, because the file resource takes most of the memory.
    const entries = reply.files.filter((file) => file.kind === 'file');
    for (const { id } of entries) found.add(id);
    for (const file of entries.filter(fits)) files.set(file.id, reuse(before.get(file.id), toRecipeFile(file)));
    source.onProgress(Math.min(done + batchSize, unique.length));
  }
  return { files: [...files.values()], missing: unique.filter((id) => !found.has(id)), isCut: false };
}

function findFailure(refused: readonly MissingId[] = []): Reason | undefined {
  return filterMissingIds({ missing: refused }, false)[0]?.reason;
}

function reuse(before: RecipeFile | undefined, now: RecipeFile): RecipeFile {
  const isSame = before?.path === now.path && before.bytes === now.bytes && before.hash === now.hash;
  return isSame ? { ...before, ...(now.licenses && { licenses: now.licenses }) } : now;
}
