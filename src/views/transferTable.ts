import { l10n, MarkdownString } from 'vscode';
import type { Transfer } from '../core/model/transfer.ts';
import type { TransferNode } from '../host/contributions.ts';
import { movedText, plural, standingText, transferTitle } from '../host/words.ts';

/** More transfers than these make a tooltip that nobody can read. */
const mostRows = 20;

/** The title of a column, and what it says of a transfer, in Markdown. */
type Column = readonly [title: string, cell: (transfer: Transfer) => string];

/** A small table of transfers for a tooltip; each title is a link to the transfer's page. */
export function transferTable(
  transfers: readonly Transfer[],
  estimate: (transfer: Transfer) => string | undefined,
): MarkdownString {
  const shown = transfers.slice(0, mostRows);
  const columns: readonly Column[] = [
    [l10n.t('Transfer'), (transfer) => `[${literal(transferTitle(transfer))}](${pageLink(transfer)})`],
    [l10n.t('State'), (transfer) => literal(standingText(transfer))],
    [l10n.t('Moved'), (transfer) => literal(movedText(transfer) ?? '')],
    [l10n.t('Time left'), (transfer) => literal(estimate(transfer) ?? '')],
  ];
  const filled = columns.filter(([, cell]) => shown.some((transfer) => cell(transfer) !== ''));
  const table = new MarkdownString(
    [
      tableLine(filled.map(([title]) => literal(title))),
      `|${':---|'.repeat(filled.length)}`,
      ...shown.map((transfer) => tableLine(filled.map(([, cell]) => cell(transfer)))),
    ].join('\n'),
  );
  const others = transfers.length - shown.length;
  if (others > 0) {
    table.appendMarkdown(`\n\n${literal(plural(others, 'and {0} more', 'and {0} more'))}`);
  }
  table.isTrusted = { enabledCommands: ['dataTransfer.showTransferProgress'] };
  return table;
}

/** The editor sets columns close together, so the spaces between them are part of the text. */
function tableLine(cells: readonly string[]): string {
  return `| ${cells.join('&nbsp;&nbsp; | ')} |`;
}

function pageLink({ key }: Transfer): string {
  const node: TransferNode = { kind: 'transfer', key };
  return `command:dataTransfer.showTransferProgress?${encodeURIComponent(JSON.stringify([node]))}`;
}

/**
 * Text in Markdown that stays text, whatever a server has put in it: all but letters, digits and spaces as character
 * references.
 */
function literal(text: string): string {
  return text.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
