import { l10n } from 'vscode';
import type { LinkProblem, LinkTarget } from '../../core/model/link.ts';
import { maxLineLength, toPlainLine, toPlainText } from './plainText.ts';
import { describeFilters, describeSearchTerms, getDatabaseLabel } from './searchWords.ts';

/** The confirmation prompt for a link. */
interface LinkConfirmation {
  readonly question: string;
  /** The facts about the link, one per line. */
  readonly detail: string;
  /** Label of the button that opens the link. */
  readonly label: string;
}

/** Describes why a link can't be opened. The sentence fits in a one-line notification. */
export function describeLinkProblem({ kind, field = '' }: LinkProblem): string {
  const sentences: Readonly<Record<LinkProblem['kind'], string>> = {
    tooLong: l10n.t('This link is too long.'),
    unknownKind: l10n.t("This kind of link can't be opened."),
    unreadable: l10n.t("This link can't be read. It may have been cut off."),
    badService: l10n.t('This link contains no valid service address.'),
    badField: l10n.t("The “{0}” field in this link isn't valid.", toPlainText(field, 20)),
  };
  return sentences[kind];
}

/** Describes why a link can't be created. */
export function describeUnlinkable({ kind, field = '' }: LinkProblem): string {
  if (kind === 'tooLong') return l10n.t('The link would be too long to copy.');
  if (kind === 'badService') return l10n.t("This connection's address can't be included in a link.");
  const name = toPlainText(field, 40);
  return l10n.t('No link was copied: “{0}” may contain invisible characters or unusual spaces.', name);
}

/**
 * Creates the prompt that describes a link and the request that opening the link will send. `name` is the connection's
 * name, and `address` is undefined for the local service.
 */
export function describeLink(target: LinkTarget, name: string, address: string | undefined): LinkConfirmation {
  const service = toPlainLine(address === undefined ? name : `${name} (${address})`);
  const effect = describeEffect(target, toPlainLine(name));
  const facts = [l10n.t('Service: {0}', service), ...describeTarget(target), '', effect];
  return { ...getLinkTitle(target), detail: facts.join('\n') };
}

function getLinkTitle(target: LinkTarget): Pick<LinkConfirmation, 'question' | 'label'> {
  switch (target.kind) {
    case 'search':
      return { question: l10n.t('Open the search from this link?'), label: l10n.t('Search') };
    case 'file':
      return { question: l10n.t('Open the file from this link?'), label: l10n.t('Show Metadata') };
    case 'transfer':
      return { question: l10n.t('Open the transfer from this link?'), label: l10n.t('Show Transfer') };
  }
}

function describeTarget(target: LinkTarget): readonly string[] {
  if (target.kind === 'transfer') return [l10n.t('Transfer ID: {0}', target.id)];
  const { database } = target.kind === 'search' ? target.query : target;
  return [l10n.t('Database: {0}', getDatabaseLabel(database)), ...describeContent(target)];
}

function describeContent(target: Exclude<LinkTarget, { readonly kind: 'transfer' }>): readonly string[] {
  const facts = target.kind === 'file' ? describeFile(target) : describeSearch(target);
  return isShortened(target) ? [...facts, l10n.t('The link contains more than is shown here.')] : facts;
}

function describeFile({ name, id }: Extract<LinkTarget, { readonly kind: 'file' }>): readonly string[] {
  return [l10n.t('File: {0}', toPlainLine(name)), l10n.t('ID: {0}', toPlainLine(id))];
}

function describeSearch({ query }: Extract<LinkTarget, { readonly kind: 'search' }>): readonly string[] {
  const filters = describeFilters(query, false);
  const terms = l10n.t('Search: {0}', describeSearchTerms(query));
  return filters === '' ? [terms] : [terms, l10n.t('Filters: {0}', filters)];
}

/** Returns true if a value in a link isn't shown or may be too long to be shown in full. */
function isShortened(target: Exclude<LinkTarget, { readonly kind: 'transfer' }>): boolean {
  if (target.kind === 'file') return [target.database, target.name, target.id].some(isLong);
  const { database, query, ids, status, specific = {} } = target.query;
  const areFiltersLong = describeFilters({ status, specific }, false).length >= maxLineLength;
  return (
    [database, query, JSON.stringify(specific)].some(isLong) || areFiltersLong || (ids !== undefined && query !== '')
  );
}

function isLong(text: string): boolean {
  return text.length > maxLineLength;
}

function describeEffect({ kind }: LinkTarget, service: string): string {
  const effects: Readonly<Record<LinkTarget['kind'], string>> = {
    search: l10n.t("The search hasn't been sent yet. Opening the link sends it to {0}.", service),
    file: l10n.t("The metadata hasn't been requested yet. Opening the link requests it from {0}.", service),
    transfer: l10n.t(
      "The status hasn't been requested yet. Opening the link requests it from {0} and adds the transfer to your list. It doesn't start a transfer.",
      service,
    ),
  };
  return effects[kind];
}
