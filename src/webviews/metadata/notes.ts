import * as l10n from '@vscode/l10n';
import type { MetadataSnapshot } from '../../messages/metadataMessages.ts';
import type { Format } from '../shared/format.ts';
import { remedyAction, type Note } from '../shared/note.ts';

/** What has to be said before the metadata itself: that it is old, missing, or cannot be read. */
export function notesOf(
  { found, problem, remedy, receivedAt, old, loading }: MetadataSnapshot,
  format: Format,
): readonly Note[] {
  const notes: Note[] = [];
  if (problem !== undefined && !loading) {
    const action = { name: 'retry', label: l10n.t('Retry') };
    const kind = found === undefined ? 'error' : 'warning';
    notes.push({ key: 'problem', kind, text: problem, action, ...remedyAction(remedy) });
  } else if (old && !loading) {
    const action = { name: 'retry', label: l10n.t('Refresh') };
    const text = receivedAt
      ? l10n.t('As it was on {0}.', format.dateTime(receivedAt))
      : l10n.t('This is what was shown last.');
    notes.push({ key: 'old', kind: 'info', text, action });
  }
  if (found?.kind === 'unreadable') {
    const text = l10n.t('The database described this file in a form that cannot be read. This is what it sent:');
    notes.push({ key: 'unreadable', kind: 'warning', text });
  }
  return notes;
}

/** What a screen reader is told when the page changed by itself; undefined when that is nothing new. */
export function spokenChange(before: MetadataSnapshot, now: MetadataSnapshot): string | undefined {
  if (now.loading || !before.loading) return undefined;
  return now.problem ?? l10n.t('The metadata of {0} is shown.', now.ref.name.slice(0, 200));
}
