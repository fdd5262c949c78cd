import { l10n } from 'vscode';
import type { ContentFlow } from '../../../core/search/contentFlow.ts';
import type { FileReference } from '../../../core/model/fileEntry.ts';
import type { FilePreview, PreviewProblem } from '../../../core/tables/filePreview.ts';
import { hasPreview } from '../../../core/tables/previewKinds.ts';
import { describeReason } from '../../words/reasonWords.ts';

type ReadPreview =
  | { readonly state: 'problem'; readonly text: string }
  | { readonly state: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
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
    // Loaded when it is first needed.
    const { createPreview, previewBytes } = await import('../../../core/tables/filePreview.ts');
    const { part, reason } = await this.flow.read(file, { offset: 0, limit: previewBytes }, signal);
    if (reason) return toProblem(describeReason(reason));
    return toShown(await createPreview(path, { bytes: part.bytes, isWhole: part.bytes.length >= part.totalBytes }));
  }
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

function describeProblem(problem: PreviewProblem): string {
  const causes: Readonly<Record<PreviewProblem, string>> = {
    empty: l10n.t('it is empty'),
    noRecords: l10n.t('it has no records'),
    notText: l10n.t("it isn't text"),
    longLine: l10n.t('its first line is too long'),
    longHeader: l10n.t('its header is too long'),
    tooLarge: l10n.t('it is too large'),
    damaged: l10n.t("it can't be unpacked"),
    notJson: l10n.t("it isn't valid JSON"),
  };
  return causes[problem];
}
