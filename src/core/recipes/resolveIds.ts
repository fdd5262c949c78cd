import type { FileEntry } from '../model/fileEntry.ts';
import { createFileTest } from './fileFilters.ts';
import { toRecipeFile } from './recipeFile.ts';
import type { RecipeFilters } from './recipeSchema.ts';
import type { RecipeSource } from './recipeSource.ts';
import { createFailure, type ResolvedFiles } from './resolvedFiles.ts';

/** Number of IDs to look up between two reports of progress. */
const batchSize = 2_000;

interface IdRequest {
  readonly database: string;
  readonly ids: readonly string[];
  readonly filters?: RecipeFilters | undefined;
}

/** Requests files by ID. IDs that the service doesn't know, or refuses, are missing (D8: metadata by ids). */
export async function resolveIds(source: RecipeSource, { database, ids, filters }: IdRequest): Promise<ResolvedFiles> {
  const unique = [...new Set(ids)];
  const found = new Map<string, FileEntry>();
  for (let done = 0; done < unique.length; done += batchSize) {
    const reply = await source.lookUpIds(database, unique.slice(done, done + batchSize));
    if (reply.failure) return createFailure({ kind: 'service', reason: reply.failure });
    for (const file of reply.files) if (file.kind === 'file') found.set(file.id, toSummary(file));
    source.onProgress(Math.min(done + batchSize, unique.length));
  }
  const files = [...found.values()].filter(createFileTest(filters)).map(toRecipeFile);
  return { files, missing: unique.filter((id) => !found.has(id)), isCut: false };
}

/** Leaves out the resource, which takes most of the memory. */
function toSummary(file: FileEntry): FileEntry {
  return { ...file, resource: {} };
}
