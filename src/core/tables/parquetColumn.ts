import type { ColumnMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { RowError, type LimitedSource } from './parquetBytes.ts';
import { isJoint, readPageHeader, type ColumnPages, type PagePart } from './parquetPages.ts';

interface StoredPage {
  readonly header: PageHeader;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

function locatePage(start: number, view: DataView): StoredPage {
  const { header, headerBytes: size } = readPageHeader(view);
  const content = start + size;
  return { header, start, content, end: content + header.compressed_page_size };
}

/** The place of the pages of a column in a file. */
export interface ColumnRange {
  readonly start: number;
  /** The first page with values, which follows a dictionary if there is one. */
  readonly data: number;
  readonly end: number;
}

/** Returns where the pages of a column are. Throws a {@link RowError} if they aren't in the file. */
export function getColumnRange({ totalBytes }: LimitedSource, chunk: ColumnMetaData): ColumnRange {
  const { dictionary_page_offset: dictionary, data_page_offset: first, total_compressed_size: size } = chunk;
  // Some writers state 0 for a dictionary that doesn't exist.
  const start = Number(dictionary !== undefined && dictionary > 0n && dictionary < first ? dictionary : first);
  const end = start + Number(size);
  if (!(start >= 4 && end > start && end <= totalBytes)) throw new RowError('rowsDamaged');
  return { start, data: Math.min(Number(first), end), end };
}

function hasJointValues(page: StoredPage): boolean {
  return isJoint(getValueHeader(page)?.encoding);
}

function isEmptyPage(page: StoredPage): boolean {
  return getValueHeader(page)?.num_values === 0;
}

function getValueHeader({
  header: { data_page_header: first, data_page_header_v2: second },
}: StoredPage): { readonly encoding: string; readonly num_values: number } | undefined {
  return second ?? first;
}

/** Returns the names from a column of a file to values of a chunk, with dots. */
export function getPathText({ path_in_schema: path }: ColumnMetaData): string {
  return path.join('.');
}

/** Number of bytes that hold most headers of pages. */
export const headerBytes = 512;

/** Reads the first rows of a column: of each page only the beginning, if that suffices. */
export class ColumnReader {
  /** The names from the column of the file to these values, with dots. */
  readonly name: string;
  private readonly source: LimitedSource;
  private readonly pages: ColumnPages;
  private readonly wanted: number;
  private readonly end: number;
  private offset: number;
  private dictionary: StoredPage | undefined;
  private missing = 0;

  constructor(source: LimitedSource, chunk: ColumnMetaData, pages: ColumnPages, wanted: number) {
    const { start, end } = getColumnRange(source, chunk);
    this.name = getPathText(chunk);
    this.source = source;
    this.pages = pages;
    this.wanted = wanted;
    this.offset = start;
    this.end = end;
  }

  /** The elements of the schema from its root to these values. */
  get path(): readonly SchemaTree[] {
    return this.pages.path;
  }

  /** The number of bytes that were needed next when the last read ended. */
  get missingBytes(): number {
    return this.missing;
  }

  /**
   * Resolves to the first rows. Throws a {@link RowError} if they are too large; can be called again if more bytes can be
   * read.
   */
  async read(): Promise<readonly unknown[]> {
    try {
      return await this.readPages();
    } finally {
      this.pages.forgetDictionary();
    }
  }

  private async readPages(): Promise<readonly unknown[]> {
    const { pages, wanted } = this;
    while (pages.completeRows < wanted && this.offset < this.end) {
      const page = await this.readHeader(this.offset);
      if (page.end > this.end) throw new RowError('rowsDamaged');
      if (page.header.type === 'DICTIONARY_PAGE') this.dictionary = page;
      else if (page.header.type.startsWith('DATA_PAGE') && !isEmptyPage(page)) await this.addPage(page);
      this.offset = page.end;
    }
    if (pages.rows.length < wanted) throw new RowError('rowsDamaged');
    return pages.rows.slice(0, wanted);
  }

  private async readHeader(start: number): Promise<StoredPage> {
    for (let length = headerBytes; ; length *= 2) {
      const bytes = await this.source.read(start, Math.min(length, this.end - start));
      try {
        return locatePage(start, new DataView(bytes.buffer));
      } catch (error) {
        // The header may have long statistics.
        if (!(error instanceof RangeError) || start + length >= this.end) throw error;
      }
    }
  }

  private async addPage(page: StoredPage): Promise<void> {
    const { dictionary, pages } = this;
    const lengths = this.getFirstLengths(page);
    for (;;) {
      const part = await this.readPart(page, lengths.page);
      const dictionaryPart = dictionary && (await this.readPart(dictionary, lengths.dictionary));
      const missing = pages.add(part, dictionaryPart);
      if (!missing) return;
      const [short, known] = missing === 'page' ? [page, part] : [dictionary, dictionaryPart];
      if (!short || !known || lengths[missing] >= short.end - short.start) throw new RowError('rowsDamaged');
      lengths[missing] = this.extendPart(short, known, lengths[missing]);
    }
  }

  private getFirstLengths(page: StoredPage): { page: number; dictionary: number } {
    return {
      page: hasJointValues(page) ? Infinity : this.extend(page, 0),
      dictionary: this.extend(this.dictionary, 0),
    };
  }

  private extendPart(page: StoredPage, part: PagePart, length: number): number {
    const end = this.pages.findNextEnd(part);
    const longer = end === undefined ? this.extend(page, length) : page.content - page.start + end;
    const extended = Math.max(longer, length + 1);
    this.missing = Math.min(extended, page.end - page.start) - length;
    return extended;
  }

  private extend(page: StoredPage | undefined, length: number): number {
    return Math.max(headerBytes, length * 2, page ? this.source.findKept(page.start).length : 0);
  }

  private async readPart({ header, start, content, end }: StoredPage, length: number): Promise<PagePart> {
    const until = Math.max(content, Math.min(start + length, end));
    const bytes = await this.source.read(start, until - start);
    return { header, bytes: bytes.subarray(content - start) };
  }
}
