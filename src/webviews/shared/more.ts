import * as l10n from '@vscode/l10n';
import { button } from './dom.ts';
import type { Format } from './format.ts';

/** The most rows that one press adds: more at once would be felt. */
const largestStep = 2000;

/** A button that shows the rest of a long list, or the next part of a very long one. */
export function moreButton(path: string, shown: number, total: number, format: Format): HTMLButtonElement {
  const next = Math.min(total, shown + largestStep);
  const label =
    next === total
      ? l10n.t('Show all {0}', format.number(total))
      : l10n.t('Show {0} more of {1}', format.number(next - shown), format.number(total));
  return button('more', label, { kind: 'link', argument: moreArgument(path, next) });
}

/** Says in a button's argument up to where the list or text at `path` is to be shown. */
export function moreArgument(path: string, limit: number): string {
  return `${limit} ${path}`;
}

/** Reads what {@link moreArgument} wrote. */
export function readMore(argument: string): { readonly path: string; readonly limit: number } {
  const end = argument.indexOf(' ');
  return { path: argument.slice(end + 1), limit: Number(argument.slice(0, end)) };
}
