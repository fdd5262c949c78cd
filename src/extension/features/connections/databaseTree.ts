import {
  EventEmitter,
  l10n,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeDataProvider,
} from 'vscode';
import { getMachine } from '../../../core/model/connection.ts';
import { isStore, type Database, type StoreListing } from '../../../core/model/databaseModel.ts';
import type { Reason, ReasonKind } from '../../../core/model/reason.ts';
import type { Searchability } from '../../../core/model/searchModel.ts';
import type { ConnectionState, ConnectionStore } from '../../../core/connections/connectionStore.ts';
import type { ParameterListing, ParameterStore, SearchabilityStore } from '../../../core/search/searchabilityStore.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import type { ConnectionNode, DatabaseNode } from '../../editor/contributions.ts';
import { getCommandTitle, getDialogTitle } from '../../words/commandTitles.ts';
import { formatList, formatTime } from '../../words/localeFormats.ts';
import {
  describeParameterType,
  describeSearchability,
  describeSearchabilityDetail,
  getDatabaseLabel,
  getParameterLabel,
} from '../../words/searchWords.ts';
import { toPlainLine } from '../../words/plainText.ts';
import {
  describeFailedConnection,
  describeKeyDoubt,
  describeReason,
  describeRefusedKey,
  describeUnlistedDatabases,
  describeUnstartedService,
  getSetKeyRemedy,
  getShortAdvice,
  isKeyMissing,
  isSignInRejected,
} from '../../words/reasonWords.ts';
import { describeStoreListing, describeStoreState, describeUnlistedStores } from '../../words/serviceNames.ts';
import type { DatabaseTreeNode, MessageNode } from '../../views/nodes.ts';
import {
  createCommandRow,
  createEmptyRow,
  createLoadingRow,
  createMessageItem,
  createProblemRows,
  createRemedyRows,
  setAccessibleLabel,
} from '../../views/placeholders.ts';

/** Maximum numbers of characters in the message above the rows, and of a failure in the label for screen readers. */
const [maxMessageLength, maxSpokenLength] = [800, 300];

/** Maximum number of parameters in the tooltip. */
const maxParameters = 20;

/** Creates the row of a database's search parameters, which have labels if `isLocal` (local service). */
function createParametersRow(owner: string, parameters: ParameterListing['parameters'], isLocal: boolean): MessageNode {
  const names = Object.keys(parameters).map((name) => getParameterLabel(name, isLocal));
  const lines = Object.entries(parameters)
    .slice(0, maxParameters)
    .map(([name, one]) =>
      toPlainLine(l10n.t('{0}: {1}', getParameterLabel(name, isLocal), describeParameterType(one))),
    );
  if (names.length > lines.length) lines.push('…');
  const text =
    names.length === 0
      ? l10n.t('No database-specific search parameters')
      : l10n.t('Search parameters: {0}', toPlainLine(formatList(names)));
  return {
    kind: 'message',
    id: `${owner}/names`,
    icon: 'about',
    text,
    ...(lines.length > 0 && { tooltip: lines.join('\n') }),
  };
}

const retryCommand = { id: 'dataTransfer.refreshDatabases', title: l10n.t('Retry') };

type ConnectedState = Extract<ConnectionState, { readonly kind: 'connected' }>;

/** Dependencies of a {@link DatabaseTree}. */
export interface DatabaseTreeDependencies {
  readonly store: ConnectionStore;
  readonly parameters: ParameterStore;
  readonly searchability: SearchabilityStore;
  /** Requests the search parameters of a database, given its name. The result appears in `parameters`. */
  loadParameters(name: string): unknown;
  /** Returns true if the settings list the folder or store at this address. */
  isSaved(url: string): boolean;
}

/**
 * Provides the rows of the connection and its databases. Groups the databases of an organization that has at least
 * three, unless it is the only one.
 */
export class DatabaseTree implements TreeDataProvider<DatabaseTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: DatabaseTreeDependencies;
  private readonly store: ConnectionStore;
  private readonly rows = new Map<string, DatabaseNode>();
  private readonly changed = this.lifetime.track(new EventEmitter<DatabaseTreeNode | undefined>());
  /** The organizations that have a row in a listing. Finding them for each row would take too long. */
  private grouping: { readonly databases: readonly Database[]; readonly names: ReadonlySet<string> } | undefined;
  /** True if the editor was notified of a change but hasn't redrawn the tree yet. */
  private isRedrawPending = false;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(dependencies: DatabaseTreeDependencies) {
    this.dependencies = dependencies;
    this.store = dependencies.store;
    this.lifetime.track(this.store.onDidChange(() => this.redraw()));
    const redrawDatabase = (name: string): void => this.changed.fire(this.rows.get(name));
    this.lifetime.track(dependencies.parameters.onDidChange(redrawDatabase));
    this.lifetime.track(dependencies.searchability.onDidChange(redrawDatabase));
  }

  getTreeItem(node: DatabaseTreeNode): TreeItem {
    if (node.kind === 'message') return createMessageItem(node);
    if (node.kind === 'connection') return createConnectionItem(this.store.state, this.failure);
    if (node.kind === 'organization') return createOrganizationItem(node.name);
    return this.createDatabaseItem(this.store.findDatabase(node.name));
  }

  getChildren(parent?: DatabaseTreeNode): DatabaseTreeNode[] {
    if (!parent) this.isRedrawPending = false;
    const { state, listing } = this.store;
    if (parent?.kind === 'organization') {
      return this.createDatabaseRows(listing.databases.filter((database) => database.organization === parent.name));
    }
    if (parent?.kind === 'database') return [...this.createListRows(parent), ...this.createParameterRows(parent.name)];
    if (parent || state.kind === 'disconnected') return [];
    if (state.kind === 'connecting')
      return [{ kind: 'connection' }, createLoadingRow('connection', describeConnecting(state))];
    if (state.kind === 'stopped') return [{ kind: 'connection' }, createStartRow()];
    if (state.kind === 'failed')
      return [{ kind: 'connection' }, ...createFailedRows(state.connection.id, state.reason)];
    return [{ kind: 'connection' }, ...createKeyRows(state), ...this.createListedRows(state)];
  }

  /** The text beside the view's title: the connection's state, of which its row shows only an icon. */
  get description(): string {
    return describeConnection(this.store.state);
  }

  /** The message above the rows: what failed, and what to do about it. Undefined if nothing failed. */
  get message(): string | undefined {
    const sentences = [this.failure, this.unlistedStores].filter(Boolean).join(' ');
    return toShortLine(sentences, maxMessageLength) || undefined;
  }

  /** The failure of the connection, its key or its list of databases, and advice. */
  private get failure(): string | undefined {
    const { state, listing } = this.store;
    if (state.kind === 'failed') return describeFailure(state);
    if (state.kind !== 'connected') return undefined;
    const { doubt } = state;
    const refused = doubt && !doubt.keyWorked ? doubt : undefined;
    const unlisted = isShownAbove(state, listing.reason) ? undefined : listing.reason;
    const sentences = [refused && describeRefusedKey(refused), unlisted && describeUnlistedDatabases(unlisted)];
    const failed = refused ?? unlisted;
    return failed && [...sentences, getShortAdvice(failed)].filter(Boolean).join(' ');
  }

  private get unlistedStores(): string | undefined {
    const { state, listing } = this.store;
    if (state.kind !== 'connected') return undefined;
    const canScan = listing.databases.some(
      (database) =>
        database.listing?.state === 'failed' && isStore(database) && this.dependencies.isSaved(database.url),
    );
    const scanAgain = canScan ? getCommandTitle('dataTransfer.scanStore') : undefined;
    return describeUnlistedStores(listing.databases, scanAgain);
  }

  /** Returns a database's organization row, which the editor needs to reveal the database. */
  getParent(node: DatabaseTreeNode): DatabaseTreeNode | undefined {
    const database = node.kind === 'database' ? this.store.findDatabase(node.name) : undefined;
    const isGrouped = database !== undefined && this.groups.has(database.organization);
    return isGrouped ? { kind: 'organization', name: database.organization } : undefined;
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /**
   * Redraws the tree unless a redraw is pending. Avoids extra redraws, because clicking a row during one runs the row's
   * command without the row.
   */
  private redraw(): void {
    if (this.isRedrawPending) return;
    this.isRedrawPending = true;
    this.changed.fire(undefined);
  }

  private createListedRows(state: ConnectedState): DatabaseTreeNode[] {
    const { databases, isLoading, reason } = this.store.listing;
    const isRow = reason !== undefined && !isShownAbove(state, reason);
    const problemRows = isRow ? createRetryRows('databases', state.connection.id, reason, retryCommand) : [];
    if (databases.length === 0 && isLoading) return [createLoadingRow('databases')];
    if (databases.length === 0 && !reason)
      return [createEmptyRow('databases', l10n.t('This service has no databases.'))];
    const organizations = [...new Set(databases.map((database) => database.organization))];
    const { groups } = this;
    const rows = organizations.flatMap((name): readonly DatabaseTreeNode[] =>
      groups.has(name)
        ? [{ kind: 'organization', name }]
        : this.createDatabaseRows(databases.filter(({ organization }) => organization === name)),
    );
    return [...problemRows, ...rows];
  }

  /** The organizations that have a row. */
  private get groups(): ReadonlySet<string> {
    const { databases } = this.store.listing;
    if (this.grouping?.databases !== databases) this.grouping = { databases, names: findGroups(databases) };
    return this.grouping.names;
  }

  /** Returns the rows for databases, the same object for a database each time, as redrawing one requires. */
  private createDatabaseRows(databases: readonly Database[]): DatabaseNode[] {
    return databases.map(({ name }) => {
      const row = this.rows.get(name) ?? { kind: 'database', name };
      this.rows.set(name, row);
      return row;
    });
  }

  /** Creates the row that lists a database's files; none if the database is known to refuse that. */
  private createListRows(node: DatabaseNode): MessageNode[] {
    if (this.getSearchability(node.name)) return [];
    const text = getCommandTitle('dataTransfer.listFiles');
    const command = { id: 'dataTransfer.listFiles', title: text, argument: node };
    return [{ kind: 'message', id: `files/${node.name}`, icon: 'list', text, command }];
  }

  private createParameterRows(name: string): MessageNode[] {
    const listing = this.dependencies.parameters.get(name);
    const owner = `parameters/${name}`;
    if (!listing) {
      this.dependencies.loadParameters(name);
      return [createLoadingRow(owner)];
    }
    if (!listing.reason) return [createParametersRow(owner, listing.parameters, this.isLocal)];
    const reason = describeReason(listing.reason);
    const sentence = l10n.t('Could not fetch the search parameters: {0}', reason);
    return createProblemRows(owner, { sentence, reason, command: retryCommand });
  }

  /** True for the local service, whose search parameters have labels. */
  private get isLocal(): boolean {
    const { state } = this.store;
    return state.kind === 'connected' && state.service.hasFullPages === true;
  }

  private getSearchability(database: string): Searchability | undefined {
    const { state } = this.store;
    if (state.kind !== 'connected') return undefined;
    const service = { connectionId: state.connection.id, version: state.service.version };
    return this.dependencies.searchability.get(service, database);
  }

  private describeOrganization({ organization }: Database): string {
    const isEqual = this.store.listing.databases.every((one) => one.organization === organization);
    return isEqual || this.groups.has(organization) ? '' : toPlainLine(organization);
  }

  private createDatabaseItem(database: Database | undefined): TreeItem {
    const item = new TreeItem(getDatabaseLabel(database?.name ?? ''), TreeItemCollapsibleState.Collapsed);
    item.contextValue = 'database';
    item.iconPath = new ThemeIcon('database');
    if (!database) return item;
    const isSaved = this.dependencies.isSaved(database.url);
    if (isSaved) item.contextValue = 'database.saved';
    item.id = `database/${database.id}/${database.name}`;
    const node: DatabaseNode = { kind: 'database', name: database.name };
    item.command = {
      command: 'dataTransfer.openDatabase',
      title: getCommandTitle('dataTransfer.searchFiles'),
      arguments: [node],
    };
    const searchability = this.getSearchability(database.name);
    const facts = [database.name, database.organization, database.url].map(toPlainLine);
    const detail = searchability && describeSearchabilityDetail(searchability);
    const listed = database.listing && describeStoreListing(database.listing);
    item.tooltip = [...facts, detail, listed].filter(Boolean).join('\n');
    if (database.listing && isStore(database)) showStore(item, database.listing, isSaved);
    const state = searchability
      ? describeSearchability(searchability)
      : database.listing && describeStoreState(database.listing);
    item.description = [state, this.describeOrganization(database)].filter(Boolean).join(' · ');
    return setAccessibleLabel(item);
  }
}

/** Minimum number of databases for which an organization has a row. */
const minGroupSize = 3;

function findGroups(databases: readonly Database[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { organization } of databases) counts.set(organization, (counts.get(organization) ?? 0) + 1);
  const large = [...counts].filter(([, count]) => count >= minGroupSize);
  return new Set(counts.size < 2 ? [] : large.map(([name]) => name));
}

const failedStoreIcon = new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground'));

function showStore(item: TreeItem, listing: StoreListing, isSaved: boolean): void {
  item.iconPath = listing.state === 'failed' ? failedStoreIcon : new ThemeIcon('cloud');
  if (isSaved) item.contextValue = 'database.saved.store';
}

/** Creates the row that starts a stopped service. The connection's row shows that the service is stopped. */
function createStartRow(): DatabaseTreeNode {
  const text = getCommandTitle('dataTransfer.startLocalService');
  const command = { id: 'dataTransfer.startLocalService', title: text };
  return { kind: 'message', id: 'connection/start', icon: 'start', text, command };
}

function createFailedRows(id: string, reason: Reason): MessageNode[] {
  if (isKeyMissing(reason)) return [createCommandRow('connection', getSetKeyRemedy(id), 'key')];
  return createRetryRows('connection', id, reason, retryCommand);
}

function createRetryRows(
  owner: string,
  connectionId: string,
  reason: Reason,
  command: NonNullable<MessageNode['command']>,
): MessageNode[] {
  return [createCommandRow(owner, command, 'retry'), ...createRemedyRows(owner, reason, connectionId)];
}

function isShownAbove({ doubt }: ConnectedState, reason: Reason | undefined): boolean {
  return doubt !== undefined && reason !== undefined && isSignInRejected(reason);
}

function describeConnecting({ doubt }: { readonly doubt?: Reason }): string {
  return doubt ? describeKeyDoubt(doubt) : l10n.t('Connecting…');
}

/** Creates the rows for a key that worked and is being retried or was rejected (D28: retry rejected keys). */
function createKeyRows({ connection: { id }, doubt }: ConnectedState): MessageNode[] {
  if (!doubt) return [];
  const reason = describeReason(doubt);
  if (doubt.keyWorked)
    return [{ ...createLoadingRow('key', describeKeyDoubt(doubt)), tooltip: `${describeKeyDoubt(doubt)}\n${reason}` }];
  const argument: ConnectionNode = { kind: 'connection', id };
  return createRetryRows('key', id, doubt, { ...retryCommand, argument });
}

function describeFailure({ connection, reason }: Extract<ConnectionState, { readonly kind: 'failed' }>): string {
  const { kind, detail } = reason;
  if (getMachine(connection.id) !== undefined && kind === 'unreachable' && detail !== undefined)
    return describeUnstartedService(detail);
  return `${describeFailedConnection(reason)} ${getShortAdvice(reason)}`;
}

function describeConnection(state: ConnectionState): string {
  switch (state.kind) {
    case 'disconnected':
      return '';
    case 'connecting':
      return l10n.t('signing in…');
    case 'failed':
      return isSignInRejected(state.reason) ? describeRejection(state.reason) : l10n.t('not connected');
    case 'stopped':
      return l10n.t('stopped');
    case 'connected': {
      const { problem, problemAt, doubt } = state;
      if (problem && problemAt !== undefined) return describeOutage(problem, problemAt);
      return doubt ? describeRejection(doubt) : l10n.t('connected');
    }
  }
}

/** The reasons for which nothing responds, neither the service nor a proxy or gateway. */
const offlineKinds: ReadonlySet<ReasonKind> = new Set(['unreachable', 'timeout', 'dropped']);

function describeOutage({ kind }: Reason, at: number): string {
  const now = Date.now();
  const time = formatTime(at, now);
  // Dates need another preposition than times in some languages.
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  if (offlineKinds.has(kind))
    return isToday ? l10n.t('offline since {0}', time) : l10n.t('offline since {date}', { date: time });
  return isToday ? l10n.t('not responding since {0}', time) : l10n.t('not responding since {date}', { date: time });
}

function describeRejection({ signIn, keyWorked }: Reason): string {
  if (signIn === 'outage') return l10n.t('key not checked');
  return signIn === 'key' && !keyWorked ? l10n.t('key rejected') : l10n.t('sign-in rejected');
}

function createConnectionItem(state: ConnectionState, failure: string | undefined): TreeItem {
  if (state.kind === 'disconnected') return new TreeItem('');
  const item = new TreeItem(toPlainLine(state.connection.name));
  item.id = 'connection';
  item.contextValue = getMachine(state.connection.id) === undefined ? 'connection' : 'connection.local';
  item.command = { command: 'dataTransfer.switchConnection', title: getDialogTitle('dataTransfer.switchConnection') };
  if (state.kind === 'connected') showService(item, state);
  else {
    item.tooltip = toPlainLine(state.connection.server);
    item.iconPath = new ThemeIcon(state.kind === 'connecting' ? 'vm-connect' : 'vm-outline');
  }
  const spoken = [describeConnection(state), toShortLine(failure ?? '', maxSpokenLength)];
  return setAccessibleLabel(item, spoken.filter(Boolean).join(', '));
}

function showService(item: TreeItem, { service, doubt, problem }: ConnectedState): void {
  const lines = [
    `${toPlainLine(service.name)} ${toPlainLine(service.version)}`,
    service.address,
    problem && describeReason(problem),
  ];
  item.tooltip = [...lines.filter(Boolean), l10n.t('Click to switch connections.')].join('\n');
  item.iconPath = new ThemeIcon(problem || doubt ? 'vm-outline' : 'vm-active');
}

function createOrganizationItem(name: string): TreeItem {
  const label = toPlainLine(name);
  const item = new TreeItem(label === '' ? l10n.t('(no organization)') : label, TreeItemCollapsibleState.Expanded);
  item.id = `organization/${name}`;
  item.contextValue = 'organization';
  item.iconPath = new ThemeIcon('organization');
  return item;
}
