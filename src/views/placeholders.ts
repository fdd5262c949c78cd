import { l10n, ThemeColor, ThemeIcon, TreeItem } from 'vscode';
import type { Reason } from '../core/model/reason.ts';
import { signInRemedy } from '../host/signInWords.ts';
import { plainLine } from '../host/words.ts';
import type { MessageNode } from './nodes.ts';

const icons: Readonly<Record<MessageNode['look'], ThemeIcon>> = {
  loading: new ThemeIcon('loading~spin'),
  nothing: new ThemeIcon('info'),
  error: new ThemeIcon('error', new ThemeColor('list.errorForeground')),
  retry: new ThemeIcon('refresh'),
  key: new ThemeIcon('key'),
  orcid: new ThemeIcon('account'),
  edit: new ThemeIcon('edit'),
  more: new ThemeIcon('ellipsis'),
  unreadable: new ThemeIcon('warning', new ThemeColor('list.warningForeground')),
  missing: new ThemeIcon('circle-slash'),
  about: new ThemeIcon('info'),
};

/** Makes the row of a message; the only place where such rows are drawn. */
export function messageItem(node: MessageNode): TreeItem {
  const item = new TreeItem(node.text);
  item.id = node.id;
  item.iconPath = icons[node.look];
  item.tooltip = node.tooltip ?? node.text;
  item.accessibilityInformation = { label: spokenText(node) };
  item.contextValue = `message.${node.look}`;
  if (node.command) {
    const { id, title, argument } = node.command;
    item.command = { command: id, title, arguments: argument === undefined ? [] : [argument] };
  }
  return item;
}

/**
 * Returns what a screen reader says of the row. By itself the editor would have the tooltip read, however long that is;
 * only of what failed does the tooltip say more in a sentence.
 */
function spokenText({ look, text, tooltip = text }: MessageNode): string {
  return plainLine(look === 'error' ? tooltip : text);
}

/** The row that stands where something is on its way. */
export function loadingRow(owner: string, text = l10n.t('Loading…')): MessageNode {
  return { kind: 'message', id: `${owner}/loading`, look: 'loading', text };
}

/** The row that says that there is nothing. */
export function nothingRow(owner: string, text: string): MessageNode {
  return { kind: 'message', id: `${owner}/nothing`, look: 'nothing', text };
}

/** What went wrong, as the words of a whole sentence and the reason in it, and what helps. */
interface Trouble {
  readonly sentence: string;
  readonly why: string;
  readonly way: NonNullable<MessageNode['command']>;
  readonly wayLook?: 'retry' | 'key';
}

/**
 * The rows that say what went wrong and what helps. Little fits into a row: the reason stands first, the rest is in the
 * tooltip.
 */
export function troubleRows(owner: string, { sentence, why, way, wayLook = 'retry' }: Trouble): MessageNode[] {
  const text = why.charAt(0).toLocaleUpperCase() + why.slice(1);
  return [
    { kind: 'message', id: `${owner}/error`, look: 'error', text, tooltip: sentence, command: way },
    { kind: 'message', id: `${owner}/${wayLook}`, look: wayLook, text: way.title, command: way },
  ];
}

/** The row with the command that helps against a rejected sign-in; none where only trying again helps. */
export function remedyRows(owner: string, reason: Reason, connectionId: string): MessageNode[] {
  const remedy = signInRemedy(reason, connectionId);
  if (!remedy) return [];
  const { id, title, look, argument } = remedy;
  const command = { id, title, ...(argument && { argument }) };
  return [{ kind: 'message', id: `${owner}/${look}`, look, text: title, command }];
}

/** What stands for a row that has just gone, until the editor takes it away: the same row, without words. */
export function goneItem(id: string): TreeItem {
  const item = new TreeItem('');
  item.id = id;
  return item;
}
