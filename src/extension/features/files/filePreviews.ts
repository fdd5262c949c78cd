import { l10n } from 'vscode';
import type { ContentFlow } from '../../../core/search/contentFlow.ts';
import type { FileReference } from '../../../core/model/fileEntry.ts';
import type { Reason } from '../../../core/model/reason.ts';
import type { FilePreview, PreviewProblem } from '../../../core/tables/filePreview.ts';
import type { RowProblem } from '../../../core/tables/parquetBytes.ts';
import type { ParquetPreview } from '../../../core/tables/parquetPreview.ts';
import { findPreviewKind, hasPreview } from '../../../core/tables/previewKinds.ts';
import { describeReason } from '../../words/reasonWords.ts';

type ReadPreview =
  | { readonly state: 'problem'; readonly text: string }
  | {
      readonly state: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly note?: string;
    }
  | { readonly state: 'json'; readonly value: Record<string, unknown> | readonly unknown[] };

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

  /** Returns true if the file can be opened, and its format, which `path` determines, has a preview. */
  canRead(connectionId: string, path: string): boolean {
    return this.canOpen(connectionId) && hasPreview(path);
  }

  /** Reads the beginning of a file. Resolves to a sentence if there is nothing to show. */
  async read(file: FileReference, path: string, signal: AbortSignal): Promise<ReadPreview> {
    if (findPreviewKind(path) === 'parquet') return await this.readParquet(file, signal);
    // Loaded when it is first needed.
    const { createPreview, previewBytes } = await import('../../../core/tables/filePreview.ts');
    const { part, reason } = await this.flow.read(file, { offset: 0, limit: previewBytes }, signal);
    if (reason) return toProblem(describeReason(reason));
    return toShown(await createPreview(path, { bytes: part.bytes, isWhole: part.bytes.length >= part.totalBytes }));
  }

  private async readParquet(file: FileReference, signal: AbortSignal): Promise<ReadPreview> {
    const { createParquetPreview } = await import('../../../core/tables/parquetPreview.ts');
    const { part: start, reason } = await this.flow.read(file, { offset: 0, limit: 1 }, signal);
    if (reason) return toProblem(describeReason(reason));
    const { totalBytes, entityTag } = start;
    const read = async (offset: number, limit: number): Promise<Uint8Array> => {
      const next = await this.flow.read(file, { offset, limit, entityTag }, signal);
      if (next.reason) throw new UnreadError(next.reason);
      return next.part.bytes;
    };
    try {
      return toShownParquet(await createParquetPreview({ totalBytes, read }));
    } catch (error) {
      if (error instanceof UnreadError) return toProblem(describeReason(error.reason));
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

function toShownParquet(preview: ParquetPreview): ReadPreview {
  switch (preview.kind) {
    case 'table':
      return { state: 'table', header: preview.header, rows: preview.rows };
    case 'schema': {
      const note = l10n.t("The first rows can't be shown: {0}.", describeRowProblem(preview.problem));
      return { state: 'table', header: [l10n.t('Column'), l10n.t('Type')], rows: preview.rows, note };
    }
    case 'problem':
      return toProblem(describeProblem(preview.problem));
  }
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

function describeProblem(problem: PreviewProblem | 'notParquet'): string {
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
  };
  return causes[problem];
}
