import { l10n } from 'vscode';
import type { ContentFlow } from '../../../core/search/contentFlow.ts';
import type { FileReference } from '../../../core/model/fileEntry.ts';
import type { Reason } from '../../../core/model/reason.ts';
import type { FilePreview, PreviewProblem } from '../../../core/tables/filePreview.ts';
import type { ImagePreview, ImageType } from '../../../core/tables/imagePreview.ts';
import type { RangeSource, RowProblem } from '../../../core/tables/parquetBytes.ts';
import type { ParquetPreview } from '../../../core/tables/parquetPreview.ts';
import { findPreviewKind } from '../../../core/tables/previewKinds.ts';
import { formatList, formatNumber, formatSize } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';

type ReadPreview =
  | { readonly state: 'problem'; readonly text: string; readonly remedy?: 'open' }
  | {
      readonly state: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly note?: string;
    }
  | { readonly state: 'json'; readonly value: Record<string, unknown> | readonly unknown[] }
  | {
      readonly state: 'image';
      readonly type: ImageType;
      readonly width: number;
      readonly height: number;
      readonly content: string;
      readonly failure: string;
    };

interface RangeFormat {
  create(source: RangeSource): Promise<ReadPreview>;
  toProblem(cause: string): ReadPreview;
}

/** Reads the beginnings of files for their pages, where the service returns the content of files. */
export class FilePreviews {
  private readonly flow: ContentFlow;

  constructor(flow: ContentFlow) {
    this.flow = flow;
  }

  /** Returns true if files of the connection can be opened without a transfer. */
  canOpen(connectionId: string): boolean {
    return this.flow.canRead(connectionId);
  }

  /** Returns what can be shown of a file that can be opened, and whose path is that of a format with a preview. */
  findOffer(connectionId: string, path: string): 'beginning' | 'image' | undefined {
    const kind = this.canOpen(connectionId) ? findPreviewKind(path) : undefined;
    return kind === undefined || kind === 'image' ? kind : 'beginning';
  }

  /** Reads the beginning of a file, or an image. Resolves to a sentence if there is nothing to show. */
  async read(file: FileReference, path: string, signal: AbortSignal): Promise<ReadPreview> {
    const kind = findPreviewKind(path);
    if (kind === 'parquet') return await this.readRanges(file, parquetFormat, signal);
    if (kind === 'image') return await this.readRanges(file, imageFormat, signal);
    // Loaded when it is first needed.
    const { createPreview, previewBytes } = await import('../../../core/tables/filePreview.ts');
    const { part, reason } = await this.flow.read(file, { offset: 0, limit: previewBytes }, signal);
    if (reason) return toProblem(describeReason(reason));
    return toShown(await createPreview(path, { bytes: part.bytes, isWhole: part.bytes.length >= part.totalBytes }));
  }

  private async readRanges(file: FileReference, format: RangeFormat, signal: AbortSignal): Promise<ReadPreview> {
    const { part: start, reason } = await this.flow.read(file, { offset: 0, limit: 1 }, signal);
    if (reason) return format.toProblem(describeReason(reason));
    const { totalBytes, entityTag } = start;
    const read = async (offset: number, limit: number): Promise<Uint8Array> => {
      const next = await this.flow.read(file, { offset, limit, entityTag }, signal);
      if (next.reason) throw new UnreadError(next.reason);
      return next.part.bytes;
    };
    try {
      return await format.create({ totalBytes, read });
    } catch (error) {
      if (error instanceof UnreadError) return format.toProblem(describeReason(error.reason));
      throw error;
    }
  }
}

/** Thrown if a part of a file can't be read. */
class UnreadError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.kind);
    this.reason = reason;
  }
}

const parquetFormat: RangeFormat = {
  create: async (source) => {
    const { createParquetPreview } = await import('../../../core/tables/parquetPreview.ts');
    return toShownParquet(await createParquetPreview(source));
  },
  toProblem,
};

const imageFormat: RangeFormat = {
  create: async (source) => {
    const { createImagePreview, maxImageBytes } = await import('../../../core/tables/imagePreview.ts');
    return toShownImage(await createImagePreview(source), maxImageBytes);
  },
  toProblem: toImageProblem,
};

function toShownImage(preview: ImagePreview, maxBytes: number): ReadPreview {
  switch (preview.kind) {
    case 'image': {
      const { type, width, height } = preview.header;
      const content = Buffer.from(preview.bytes).toString('base64');
      const failure = describeImageProblem(describeProblem('damagedImage'));
      return { state: 'image', type, width, height, content, failure };
    }
    case 'large': {
      const cause = l10n.t('it is larger than {0}', formatSize(maxBytes));
      return { state: 'problem', text: describeImageProblem(cause), remedy: 'open' };
    }
    case 'vast': {
      const { width, height } = preview.header;
      return toImageProblem(l10n.t('it has too many pixels, {0} × {1}', formatNumber(width), formatNumber(height)));
    }
    case 'problem':
      return toImageProblem(describeProblem(preview.problem));
  }
}

function toImageProblem(cause: string): ReadPreview {
  return { state: 'problem', text: describeImageProblem(cause) };
}

function describeImageProblem(cause: string): string {
  return l10n.t("The image can't be shown: {0}.", cause);
}

function toShownParquet(preview: ParquetPreview): ReadPreview {
  switch (preview.kind) {
    case 'table':
      return toShownRows(preview);
    case 'schema': {
      const note = l10n.t("The first rows can't be shown: {0}.", describeRowProblem(preview.problem));
      return { state: 'table', header: [l10n.t('Column'), l10n.t('Type')], rows: preview.rows, note };
    }
    case 'problem':
      return toProblem(describeProblem(preview.problem));
  }
}

function toShownRows({ header, rows, largeColumns }: ParquetPreview & { readonly kind: 'table' }): ReadPreview {
  if (largeColumns.length === 0) return { state: 'table', header, rows };
  const names = formatList(largeColumns.map(toPlainLine));
  const note = l10n.t('The first values of these columns are too large: {0}.', names);
  return { state: 'table', header, rows, note };
}

function describeRowProblem(problem: RowProblem): string {
  const causes: Readonly<Record<RowProblem, string>> = {
    rowsTooLarge: l10n.t('they are too large'),
    rowsCompressed: l10n.t("their compression isn't supported"),
    rowsEncoded: l10n.t("their encoding isn't supported"),
    rowsDamaged: l10n.t('they are damaged'),
    rowsNamed: l10n.t('several columns have the same name'),
  };
  return causes[problem];
}

function toShown(preview: FilePreview): ReadPreview {
  switch (preview.kind) {
    case 'table':
      return { state: 'table', header: preview.header, rows: preview.rows };
    case 'sequences': {
      const header = [l10n.t('Name'), l10n.t('Sequence'), ...(preview.hasQuality ? [l10n.t('Quality')] : [])];
      return { state: 'table', header, rows: preview.rows };
    }
    case 'json':
      return { state: 'json', value: preview.value };
    case 'problem':
      return toProblem(describeProblem(preview.problem));
  }
}

function toProblem(cause: string): ReadPreview {
  return { state: 'problem', text: l10n.t("The beginning of the file can't be shown: {0}.", cause) };
}

function describeProblem(problem: PreviewProblem | 'notParquet' | 'notImage' | 'damagedImage'): string {
  const causes: Readonly<Record<typeof problem, string>> = {
    empty: l10n.t('it is empty'),
    noRecords: l10n.t('it has no records'),
    notText: l10n.t("it isn't text"),
    longLine: l10n.t('its first line is too long'),
    longHeader: l10n.t('its header is too long'),
    tooLarge: l10n.t('it is too large'),
    damaged: l10n.t("it can't be unpacked"),
    notJson: l10n.t("it isn't valid JSON"),
    notParquet: l10n.t("it isn't valid Parquet"),
    notImage: l10n.t("it isn't in PNG, JPEG, GIF or WebP"),
    damagedImage: l10n.t('it is damaged'),
  };
  return causes[problem];
}
