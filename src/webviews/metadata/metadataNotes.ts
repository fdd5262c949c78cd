import * as l10n from '@vscode/l10n';
import type { MetadataSnapshot } from '../messages/metadataMessages.ts';
import type { Format } from '../shared/format.ts';
import { listRemedies, type Note } from '../shared/note.ts';

/** Lists the notes that appear above the metadata and report that it is outdated, missing or unreadable. */
export function listMetadataNotes(
  { found, problem, remedy, receivedAt, old, loading }: MetadataSnapshot,
  format: Format,
): readonly Note<'retry' | 'remedy'>[] {
  const notes: Note<'retry' | 'remedy'>[] = [];
  if (problem !== undefined && !loading) {
    const kind = found === undefined ? 'error' : 'warning';
    const actions = [{ intent: 'retry', label: l10n.t('Retry') } as const, ...listRemedies(remedy)];
    notes.push({ key: 'problem', kind, text: problem, actions });
  } else if (old && !loading) {
    const text = receivedAt
      ? l10n.t('Metadata as of {0}.', format.dateTime(receivedAt))
      : l10n.t('This is the last known metadata.');
    notes.push({ key: 'old', kind: 'info', text, actions: [{ intent: 'retry', label: l10n.t('Refresh') }] });
  }
  if (found?.kind === 'unreadable') {
    const text = l10n.t("This file's metadata can't be read. The database returned:");
    notes.push({ key: 'unreadable', kind: 'warning', text });
  }
  return notes;
}

/** Returns the text for a screen reader to announce; undefined unless loading has just ended. */
export function describeMetadataChange(before: MetadataSnapshot, now: MetadataSnapshot): string | undefined {
  if (now.loading || !before.loading) return undefined;
  return now.problem ?? l10n.t('Loaded the metadata for {0}.', now.ref.name.slice(0, 200));
}
