import { env, l10n, type Uri } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import {
  formatLink,
  isLinkTarget,
  localLinkService,
  parseLink,
  toLinkService,
  type LinkProblem,
  type LinkTarget,
} from '../../../core/model/link.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import type { Search } from '../../../core/search/searchStore.ts';
import { omit } from '../../../core/util/json.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createRemedyActions, createUnknownIdHint } from '../../editor/nextSteps.ts';
import { maxLineLength, toPlainLine } from '../../words/plainText.ts';
import { describeFilters, describeSearchTerms, getDatabaseLabel } from '../../words/searchWords.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { askNewConnection } from '../connections/connect.ts';
import { getOrOpenConnection, requireSavedConnection } from '../connections/connectionOpener.ts';
import { requireOrcid } from '../connections/credentials.ts';
import { getSelectedFiles } from '../files/files.ts';
import type { CommandServices } from '../services.ts';
import { chooseShared, isSharedRow, type SharedArgument } from './sharedRow.ts';
import { lookUpTransfer, showFoundTransfer } from '../transfers/checkTransferById.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Opens links. Ignores a link that is already being opened, for example after a double-click. */
export class LinkOpener {
  private readonly services: CommandServices;
  private readonly opening = new Set<string>();

  constructor(services: CommandServices) {
    this.services = services;
  }

  /** Opens a link after a confirmation. Throws a {@link CommandFailure} if it can't be opened. */
  async open(uri: Uri): Promise<void> {
    const link = uri.toString();
    if (this.opening.has(link)) return;
    this.opening.add(link);
    try {
      await openLink(this.services, uri);
    } finally {
      this.opening.delete(link);
    }
  }
}

/**
 * Opens a link after the user has confirmed its target and the data to be sent. A link never starts a transfer. A link
 * to an unknown service adds a connection only if the user enters a key.
 */
async function openLink(services: CommandServices, uri: Uri): Promise<void> {
  const link = parseLink(uri.path, uri.query);
  if (!isLinkTarget(link)) throw new CommandHint(describeLinkProblem(link));
  const connectionId = findConnectionId(services, link.service) ?? (await askConnection(services, link.service));
  if (connectionId === undefined || !(await confirmLink(services, connectionId, link))) return;
  const session = await getOrOpenConnection(services, connectionId);
  const orcid = session && (await requireOrcid(services, connectionId));
  if (session && orcid !== undefined) await showTarget(services, session, orcid, link);
}

function findConnectionId({ settings }: CommandServices, service: string): string | undefined {
  if (service === localLinkService) return localConnectionId;
  return settings.connections.find((connection) => toLinkService(connection) === service)?.id;
}

/**
 * Asks whether to connect to a link's service, which isn't saved yet. Returns the new connection's ID, or undefined if
 * the user cancels or enters a different address.
 */
async function askConnection(services: CommandServices, service: string): Promise<string | undefined> {
  const label = l10n.t('Connect…');
  const question = l10n.t("This link is for a service that isn't among your connections.");
  const detail = l10n.t(
    'Address: {0}\n\nConnect only if you trust this service, because it will receive your key. Nothing has been sent yet.',
    service,
  );
  const isWanted = await services.notifications.confirm(question, detail, label);
  return isWanted && (await askNewConnection(services, service)) ? findConnectionId(services, service) : undefined;
}

async function confirmLink(services: CommandServices, connectionId: string, link: LinkTarget): Promise<boolean> {
  const name = getConnectionName(services, connectionId);
  const address = link.service === localLinkService ? undefined : link.service;
  const { question, detail, label } = describeLink(link, name, address);
  return (await services.notifications.choose('info', question, detail, label)) === label;
}

async function showTarget(
  services: CommandServices,
  session: OpenConnection,
  orcid: string,
  link: LinkTarget,
): Promise<void> {
  const connectionId = session.connection.id;
  if (link.kind === 'transfer') await showTransfer(services, connectionId, orcid, link.id);
  else if (link.kind === 'file') showFile(services, connectionId, link);
  else await showSearch(services, session, link);
}

/** Shows a file. The ID serves as the file's name until the metadata is loaded. */
function showFile(
  { metadataPanels }: CommandServices,
  connectionId: string,
  { database, id }: Extract<LinkTarget, { readonly kind: 'file' }>,
): void {
  metadataPanels.show({ connectionId, database, id, name: id });
}

async function showSearch(
  { searchFlow, settings, views }: CommandServices,
  session: OpenConnection,
  { query }: Extract<LinkTarget, { readonly kind: 'search' }>,
): Promise<void> {
  const running = searchFlow.runAll(session, [{ ...query, pageSize: settings.pageSize }]);
  void views.focusStartedSearch();
  await running;
}

async function showTransfer(services: CommandServices, connectionId: string, orcid: string, id: string): Promise<void> {
  const found = await lookUpTransfer(services, connectionId, id, new AbortController().signal);
  if (found.kind !== 'failed') {
    await showFoundTransfer(services, connectionId, orcid, found);
    return;
  }
  const message = l10n.t('Could not look up transfer {0}: {1}', id, describeReason(found.reason));
  throw new CommandFailure(message, ...createRemedyActions(found.reason, connectionId));
}

/** Copies a link to a search, a file or a transfer. The link never contains the key. */
export async function copyLink(services: CommandServices, argument: SharedArgument | undefined): Promise<void> {
  const shared = await chooseShared(services, argument, getDialogTitle('dataTransfer.copyLink'));
  const target = shared && getLinkTarget(services, shared);
  if (!target) return;
  const link = formatLink(target);
  if (typeof link !== 'string') throw new CommandHint(describeUnlinkable(link));
  await env.clipboard.writeText(`${env.uriScheme}://${services.facts.id}${link}`);
  services.notifications.showStatusMessage(
    target.service === localLinkService
      ? l10n.t('Copied the link. It only works on this machine.')
      : l10n.t('Copied the link.'),
  );
}

function getLinkTarget(services: CommandServices, shared: SharedArgument): LinkTarget | undefined {
  if (isSharedRow(shared, 'search')) {
    const search = services.searchStore.get(shared.key);
    return search && toSearchTarget(services, search);
  }
  if (!isSharedRow(shared, 'transfer')) return toFileTarget(services, shared);
  const transfer = services.transferStore.get(shared.key);
  return transfer && toTransferTarget(services, transfer);
}

function toSearchTarget(services: CommandServices, { connectionId, query }: Search): LinkTarget {
  return { kind: 'search', service: getService(services, connectionId), query: omit(query, 'pageSize') };
}

function toFileTarget(services: CommandServices, argument: FileNode | FileRef): LinkTarget | undefined {
  const [file] = getSelectedFiles(argument, undefined);
  if (!file) return undefined;
  const { connectionId, database, id, name } = file.ref;
  return { kind: 'file', service: getService(services, connectionId), database, id, name };
}

function toTransferTarget(services: CommandServices, { id, key, order }: Transfer): LinkTarget {
  if (id === undefined) throw createUnknownIdHint(key);
  return { kind: 'transfer', service: getService(services, order.connectionId), id };
}

function getService(services: CommandServices, connectionId: string): string {
  if (connectionId === localConnectionId) return localLinkService;
  return toLinkService(requireSavedConnection(services, connectionId)) ?? '';
}

interface LinkConfirmation {
  readonly question: string;
  /** The facts about the link, one per line. */
  readonly detail: string;
  /** Label of the button that opens the link. */
  readonly label: string;
}

function describeLinkProblem({ kind, field = '' }: LinkProblem): string {
  const sentences: Readonly<Record<LinkProblem['kind'], string>> = {
    tooLong: l10n.t('This link is too long.'),
    unknownKind: l10n.t("This kind of link can't be opened."),
    unreadable: l10n.t("This link can't be read. It may have been cut off."),
    badService: l10n.t('This link contains no valid service address.'),
    badField: l10n.t("The “{0}” field in this link isn't valid.", toShortLine(field, 20)),
  };
  return sentences[kind];
}

function describeUnlinkable({ kind, field = '' }: LinkProblem): string {
  if (kind === 'tooLong') return l10n.t('The link would be too long to copy.');
  if (kind === 'badService') return l10n.t("This connection's address can't be included in a link.");
  const name = toShortLine(field, 40);
  return l10n.t('No link was copied: “{0}” may contain invisible characters or unusual spaces.', name);
}

/**
 * Creates the prompt that describes a link and the request that opening the link will send. `name` is the connection's
 * name, and `address` is undefined for the local service.
 */
function describeLink(target: LinkTarget, name: string, address: string | undefined): LinkConfirmation {
  const service = toPlainLine(name);
  const texts: Readonly<Record<LinkTarget['kind'], Omit<LinkConfirmation, 'detail'> & { readonly effect: string }>> = {
    search: {
      question: l10n.t('Open the search from this link?'),
      label: l10n.t('Search'),
      effect: l10n.t("The search hasn't been sent yet. Opening the link sends it to {0}.", service),
    },
    file: {
      question: l10n.t('Open the file from this link?'),
      label: l10n.t('Show Metadata'),
      effect: l10n.t("The metadata hasn't been requested yet. Opening the link requests it from {0}.", service),
    },
    transfer: {
      question: l10n.t('Open the transfer from this link?'),
      label: l10n.t('Show Transfer'),
      effect: l10n.t(
        "The status hasn't been requested yet. Opening the link requests it from {0} and adds the transfer to your list. It doesn't start a transfer.",
        service,
      ),
    },
  };
  const { question, label, effect } = texts[target.kind];
  const place = address === undefined ? service : toPlainLine(`${name} (${address})`);
  const facts = [l10n.t('Service: {0}', place), ...describeTarget(target), '', effect];
  return { question, label, detail: facts.join('\n') };
}

function describeTarget(target: LinkTarget): readonly string[] {
  if (target.kind === 'transfer') return [l10n.t('Transfer ID: {0}', target.id)];
  const { database } = target.kind === 'search' ? target.query : target;
  return [l10n.t('Database: {0}', getDatabaseLabel(database)), ...describeContent(target)];
}

function describeContent(target: Exclude<LinkTarget, { readonly kind: 'transfer' }>): readonly string[] {
  const facts =
    target.kind === 'file'
      ? [l10n.t('File: {0}', toPlainLine(target.name)), l10n.t('ID: {0}', toPlainLine(target.id))]
      : describeSearch(target);
  return isShortened(target) ? [...facts, l10n.t('The link contains more than is shown here.')] : facts;
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
