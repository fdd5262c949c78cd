import { l10n, ThemeColor, ThemeIcon, TreeItem } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import { describeReason, getSignInRemedy } from '../words/reasonWords.ts';
import { toPlainLine } from '../words/plainText.ts';
import type { MessageNode } from './nodes.ts';

const icons: Readonly<Record<MessageNode['icon'], ThemeIcon>> = {
  loading: new ThemeIcon('loading~spin'),
  nothing: new ThemeIcon('info'),
  error: new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground')),
  retry: new ThemeIcon('refresh'),
  key: new ThemeIcon('key'),
  orcid: new ThemeIcon('account'),
  edit: new ThemeIcon('edit'),
  more: new ThemeIcon('ellipsis'),
  unreadable: new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground')),
  missing: new ThemeIcon('circle-slash'),
  about: new ThemeIcon('info'),
  switch: new ThemeIcon('arrow-swap'),
  list: new ThemeIcon('list-unordered'),
  start: new ThemeIcon('play'),
};

/**
 * Sets a row's screen reader text. `state` describes a state that only the icon shows, and `facts` say in words what the
 * row's description abbreviates. By default, the editor announces the tooltip, which may lack the row's name and may
 * contain long addresses and IDs.
 */
export function setAccessibleLabel(item: TreeItem, state = '', facts?: readonly string[]): TreeItem {
  const texts = [item.label, state, ...(facts ?? [item.description])].filter((text) => typeof text === 'string');
  item.accessibilityInformation = { label: texts.filter(Boolean).join(', ') };
  return item;
}

/** Creates the tree item for a message. */
export function createMessageItem(node: MessageNode): TreeItem {
  const item = new TreeItem(node.text);
  const text = [node.text, node.description].filter(Boolean).join(', ');
  item.id = node.id;
  item.iconPath = icons[node.icon];
  if (node.description !== undefined) item.description = node.description;
  item.tooltip = node.tooltip ?? text;
  item.accessibilityInformation = { label: getAccessibleText(node, text) };
  item.contextValue = `message.${node.icon}`;
  if (node.command) {
    const { id, title, argument } = node.command;
    item.command = { command: id, title, arguments: argument === undefined ? [] : [argument] };
  }
  return item;
}

/**
 * Returns the screen reader text for a message. By default, the editor announces the tooltip, which may be long. The
 * tooltip is suitable only for failures, where it is a full sentence.
 */
function getAccessibleText({ icon, tooltip }: MessageNode, text: string): string {
  return toPlainLine(icon === 'error' ? (tooltip ?? text) : text);
}

/** Creates a placeholder row for content that is loading. */
export function createLoadingRow(owner: string, text = l10n.t('Loading…')): MessageNode {
  return { kind: 'message', id: `${owner}/loading`, icon: 'loading', text };
}

/** Creates a placeholder row for an empty list. */
export function createEmptyRow(owner: string, text: string): MessageNode {
  return { kind: 'message', id: `${owner}/nothing`, icon: 'nothing', text };
}

/** Describes a failure: a full sentence, the reason, and a command that may resolve the failure. */
interface RowProblem {
  readonly sentence: string;
  readonly reason: string;
  readonly command: NonNullable<MessageNode['command']>;
  readonly commandIcon?: 'retry' | 'key';
}

/**
 * Creates a row for a failure, and a row for the command that may resolve the failure. The first row shows the reason,
 * and its tooltip contains the full sentence.
 */
export function createProblemRows(
  owner: string,
  { sentence, reason, command, commandIcon = 'retry' }: RowProblem,
): MessageNode[] {
  const text = reason.charAt(0).toLocaleUpperCase() + reason.slice(1);
  return [
    { kind: 'message', id: `${owner}/error`, icon: 'error', text, tooltip: sentence, command },
    createCommandRow(owner, command, commandIcon),
  ];
}

/** Creates the row for a command that may resolve a failure. */
export function createCommandRow(
  owner: string,
  command: NonNullable<MessageNode['command']>,
  icon: MessageNode['icon'],
): MessageNode {
  return { kind: 'message', id: `${owner}/${icon}`, icon, text: command.title, command };
}

/**
 * Creates the rows for a failed request: the rows of {@link createProblemRows} and, if a command can fix a rejected
 * sign-in, a row that runs this command.
 */
export function createFailureRows(
  owner: string,
  connectionId: string,
  reason: Reason,
  problem: Omit<RowProblem, 'reason'> & { readonly reason?: string },
): MessageNode[] {
  return [
    ...createProblemRows(owner, { reason: describeReason(reason), ...problem }),
    ...createRemedyRows(owner, reason, connectionId),
  ];
}

/** Creates the row that runs the command for a rejected sign-in. Returns an empty list if there is no such command. */
export function createRemedyRows(owner: string, reason: Reason, connectionId: string): MessageNode[] {
  const remedy = getSignInRemedy(reason, connectionId);
  if (!remedy) return [];
  const { id, title, icon, argument } = remedy;
  return [createCommandRow(owner, { id, title, ...(argument && { argument }) }, icon)];
}

/** Creates an empty item for a row that was just removed but that the editor still requests. */
export function createRemovedItem(id: string): TreeItem {
  const item = new TreeItem('');
  item.id = id;
  return item;
}
