import type { FoundFile } from '../model/fileEntry.ts';
import { isLastPage, maxPagesWithoutNew } from '../model/searchModel.ts';
import { createFileTest } from './fileFilters.ts';
import { createRecipeFileReader, type RecipeFile } from './recipeFile.ts';
import type { Recipe } from './recipeSchema.ts';
import type { RecipeSource } from './recipeSource.ts';
import { createFailure, type ResolvedFiles } from './resolvedFiles.ts';

/** Number of files per page: `exactPageSize` for services that fill every page, `pageSize` for others. */
const exactPageSize = 5_000;
const pageSize = 500;

/** Maximum number of files to check against the filters. */
const maxCompared = 2_000_000;

/**
 * Requests the pages of a recipe's search until the last one, until a limit is exceeded, or until the search stalls
 * (D9: paging). Returns at most `limit` files that pass the filters, or a failure and no files if a request fails.
 */
export async function resolveSearch(
  source: RecipeSource,
  { database, search, filters }: Recipe['from'],
  limit: number,
): Promise<ResolvedFiles> {
  const { query = '', status, specific } = search ?? {};
  const request = { database, query, ...(status && { status }), ...(specific && { specific }) };
  const size = source.hasFullPages ? exactPageSize : pageSize;
  const pages = new PageCollector(source, createFileTest(filters), size);
  while (pages.hasMore && !pages.isStalled && pages.files.length <= limit && pages.offset < maxCompared) {
    const { value = [], cursor, reason } = await source.search({ ...request, ...pages.position, pageSize: size });
    if (reason) return createFailure({ kind: 'service', reason });
    pages.add(value, cursor);
    source.onProgress(pages.comparedCount);
  }
  const isCut = pages.hasMore || pages.files.length > limit;
  return { files: pages.files.slice(0, limit), missing: [], isCut, isStalled: pages.isStalled };
}

/** Collects files from consecutive pages: those that pass the filters, without duplicates. */
class PageCollector {
  readonly files: RecipeFile[] = [];
  hasMore = true;
  offset = 0;
  private cursor: string | undefined;
  private readonly seen = new Set<string>();
  private readonly toRecipeFile: ReturnType<typeof createRecipeFileReader>;
  private readonly isAccepted: ReturnType<typeof createFileTest>;
  private readonly size: number;
  private readonly isExact: boolean;
  private before: readonly FoundFile[] = [];
  private pagesWithoutNew = 0;

  constructor(source: RecipeSource, isAccepted: ReturnType<typeof createFileTest>, size: number) {
    this.toRecipeFile = createRecipeFileReader(source);
    this.isAccepted = isAccepted;
    this.size = size;
    this.isExact = source.hasFullPages;
  }

  /** True if too many consecutive pages had no new files although more files may follow. */
  get isStalled(): boolean {
    return this.hasMore && this.pagesWithoutNew >= maxPagesWithoutNew;
  }

  /** The position of the next page: the cursor of the last one, or else the offset (D9: paging). */
  get position(): { readonly offset: number; readonly cursor?: string } {
    return this.cursor === undefined ? { offset: this.offset } : { offset: 0, cursor: this.cursor };
  }

  get comparedCount(): number {
    return this.seen.size;
  }

  add(page: readonly FoundFile[], cursor?: string): void {
    const known = this.seen.size;
    for (const file of page) this.addFile(file);
    this.offset += this.size;
    const isNew = this.seen.size > known;
    this.pagesWithoutNew = isNew ? 0 : this.pagesWithoutNew + 1;
    this.hasMore = this.isExact ? page.length >= this.size : isNew || !isLastPage(page, this.size, this.before);
    this.before = page;
    this.cursor = cursor;
  }

  private addFile(file: FoundFile): void {
    if (file.kind !== 'file' || this.seen.has(file.id)) return;
    this.seen.add(file.id);
    if (this.isAccepted(file)) this.files.push(this.toRecipeFile(file));
  }
}
