import * as l10n from '@vscode/l10n';
import { button, element, foreign, link, type Child } from './dom.ts';
import type { Format } from './format.ts';
import { readIdentifier } from './identifiers.ts';
import { childNodes, leafText, type JsonNode } from './jsonNodes.ts';
import { moreArgument, moreButton } from './more.ts';
import { shortened } from './text.ts';
import type { ViewState } from './viewState.ts';

const firstChildren = 200;
const firstCharacters = 1000;

/** The fields of an object or the elements of an array, each of which can be unfolded. Only what is unfolded is built. */
export function jsonTree(node: Pick<JsonNode, 'path' | 'value'>, view: ViewState, format: Format): HTMLElement {
  const limit = view.limit(node.path, firstChildren);
  const shown = childNodes(node, limit + 1);
  const rows: Child[] = shown.slice(0, limit).map((child) => row(child, view, format));
  if (shown.length > limit) {
    const total = Array.isArray(node.value) ? node.value.length : Object.keys(node.value as object).length;
    rows.push(element('li', {}, moreButton(node.path, limit, total, format)));
  }
  return element('ul', { class: 'tree' }, ...rows);
}

function row(node: JsonNode, view: ViewState, format: Format): HTMLElement {
  if (node.childCount === 0) return leaf(node, view, format);
  const isOpen = view.isOpen(node.path);
  const summary = element(
    'summary',
    {},
    foreign(shortened(node.label, firstCharacters), 'label'),
    ' ',
    element('span', { class: 'count' }, countText(node, format)),
  );
  const details = element('details', { 'data-path': node.path, open: isOpen }, summary);
  if (isOpen) details.append(jsonTree(node, view, format));
  return element('li', { 'data-key': node.path }, details);
}

function countText(node: JsonNode, format: Format): string {
  if (node.kind === 'array') return format.plural(node.childCount, '{0} element', '{0} elements');
  return format.plural(node.childCount, '{0} field', '{0} fields');
}

function leaf(node: JsonNode, view: ViewState, format: Format): HTMLElement {
  return element(
    'li',
    { 'data-key': node.path, class: 'leaf' },
    foreign(shortened(node.label, firstCharacters), 'label'),
    element('span', { class: 'colon' }, ': '),
    ...leafValue(node, view, format),
  );
}

function leafValue(node: JsonNode, view: ViewState, format: Format): readonly Child[] {
  const text = leafText(node);
  if (node.kind !== 'text') return [element('span', { class: `value ${node.kind}` }, emptyText(node) ?? text)];
  if (text === '') return [element('span', { class: 'value nothing' }, l10n.t('empty'))];
  if (text.length <= firstCharacters) return [link(text, readIdentifier(text).address)];
  const limit = view.limit(node.path, firstCharacters);
  if (limit >= text.length) return [foreign(text, 'value text')];
  const label = format.plural(text.length, 'Show all {0} character', 'Show all {0} characters');
  const more = button('more', label, { kind: 'link', argument: moreArgument(node.path, text.length) });
  return [foreign(shortened(text, limit), 'value text'), ' ', more];
}

function emptyText(node: JsonNode): string | undefined {
  if (node.kind === 'array') return l10n.t('empty list');
  if (node.kind === 'object') return l10n.t('empty object');
  return node.value === null ? l10n.t('none') : undefined;
}

/** Calls back when a branch of a tree was folded or unfolded. */
export function onFold(root: HTMLElement, call: (path: string, open: boolean) => void): void {
  // The event does not rise: it has to be caught on its way down.
  const listen = (event: Event): void => {
    const details = event.target;
    if (!(details instanceof HTMLDetailsElement)) return;
    const path = details.dataset['path'];
    if (path !== undefined) call(path, details.open);
  };
  root.addEventListener('toggle', listen, { capture: true });
}
