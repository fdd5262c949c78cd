import * as l10n from '@vscode/l10n';
import type { PageRemedy } from '../../messages/pageMessages.ts';

/** A sentence that stands out above what the page shows, with a button where there is something to do. */
export interface Note {
  readonly key: string;
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly action?: NoteAction;
  /** The remedy for a rejected sign-in. */
  readonly remedy?: NoteAction;
}

interface NoteAction {
  readonly name: string;
  readonly label: string;
}

/** Returns the button for what helps against a rejected sign-in. */
export function remedyAction(remedy: PageRemedy | undefined): Pick<Note, 'remedy'> {
  if (remedy === undefined) return {};
  const label = remedy === 'orcid' ? l10n.t('Set ORCID iD…') : l10n.t('Set API Key…');
  return { remedy: { name: 'remedy', label } };
}
