import { l10n, MarkdownString } from 'vscode';
import type { Transfer } from '../../core/model/transferModel.ts';
import type { TransferNode } from '../editor/contributions.ts';
import { formatList, plural } from '../words/localeFormats.ts';
import { formatMovedBytes, formatMovedFiles, describeStatus, getTransferTitle } from '../words/transferWords.ts';

/** Maximum number of rows in the tooltip. */
const maxRows = 10;

/** A column: its title, and a function that returns the Markdown of a cell. */
type Column = readonly [title: string, cell: (transfer: Transfer) => string];

/** Creates a table of transfers for a tooltip. Each transfer's title links to its page. */
export function createTransferTable(
  transfers: readonly Transfer[],
  estimate: (transfer: Transfer) => string | undefined,
): MarkdownString {
  const shown = transfers.slice(0, maxRows);
  const columns: readonly Column[] = [
    [l10n.t('Transfer'), (transfer) => `[${escapeMarkdown(getTransferTitle(transfer))}](${createPageLink(transfer)})`],
    [l10n.t('Status'), (transfer) => escapeMarkdown(describeStatus(transfer))],
    [
      l10n.t('Done'),
      (transfer) => escapeMarkdown(formatList([formatMovedFiles(transfer), formatMovedBytes(transfer)])),
    ],
    [l10n.t('Time left'), (transfer) => escapeMarkdown(estimate(transfer) ?? '')],
  ];
  const filled = columns.filter(([, cell]) => shown.some((transfer) => cell(transfer) !== ''));
  const table = new MarkdownString(
    [
      formatTableLine(filled.map(([title]) => escapeMarkdown(title))),
      `|${':---|'.repeat(filled.length)}`,
      ...shown.map((transfer) => formatTableLine(filled.map(([, cell]) => cell(transfer)))),
    ].join('\n'),
  );
  const others = transfers.length - shown.length;
  if (others > 0) {
    table.appendMarkdown(`\n\n${escapeMarkdown(plural(others, 'and {0} more', 'and {0} more'))}`);
  }
  table.isTrusted = { enabledCommands: ['dataTransfer.showTransferProgress'] };
  return table;
}

/** Formats a row. Adds spaces, because the editor renders the columns too close together. */
function formatTableLine(cells: readonly string[]): string {
  return `| ${cells.join('&nbsp;&nbsp; | ')} |`;
}

function createPageLink({ key }: Transfer): string {
  const node: TransferNode = { kind: 'transfer', key };
  return `command:dataTransfer.showTransferProgress?${encodeURIComponent(JSON.stringify([node]))}`;
}

/**
 * Escapes text from a server for Markdown. Every character except letters, digits and spaces becomes a character
 * reference.
 */
function escapeMarkdown(text: string): string {
  return text.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
