import * as l10n from '@vscode/l10n';
import type { PageRemedy } from '../messages/pageMessages.ts';

/** A button and the intent that it sends. */
export interface Action<Intent extends string = string> {
  readonly intent: Intent;
  readonly label: string;
  readonly isPrimary?: boolean;
}

/** A highlighted message on a page, with a button for each action. */
export interface Note<Intent extends string = string> {
  readonly key: string;
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly actions?: readonly Action<Intent>[];
}

/** Returns the actions without the `false` entries, which represent actions that don't apply. */
export function filterActions<Intent extends string>(
  actions: readonly (Action<Intent> | false)[],
): readonly Action<Intent>[] {
  return actions.filter((action) => action !== false);
}

/** Returns a list with the action that fixes a rejected sign-in; an empty list if there is no remedy. */
export function listRemedies(remedy: PageRemedy | undefined): readonly Action<'remedy'>[] {
  if (remedy === undefined) return [];
  return [{ intent: 'remedy', label: remedy === 'orcid' ? l10n.t('Set ORCID iD…') : l10n.t('Set API Key…') }];
}
