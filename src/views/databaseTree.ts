import { EventEmitter, l10n, ThemeIcon, TreeItem, TreeItemCollapsibleState, type TreeDataProvider } from 'vscode';
import { machineOf, type Connection } from '../core/model/connection.ts';
import type { Database } from '../core/model/database.ts';
import type { Reason, ReasonKind } from '../core/model/reason.ts';
import type { ConnectionState, ConnectionStore } from '../core/store/connectionStore.ts';
import type { Searchability } from '../core/model/searchability.ts';
import type { SearchabilityStore } from '../core/store/searchabilityStore.ts';
import type { ParameterListing, ParameterStore } from '../core/store/parameterStore.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { ConnectionNode, DatabaseNode } from '../host/contributions.ts';
import { databaseText, parameterTypeText, searchabilityDetail, searchabilityText } from '../host/searchWords.ts';
import { doubtText, isSignInRejected, setKeyRemedy } from '../host/signInWords.ts';
import { listText, plainLine, reasonText } from '../host/words.ts';
import type { DatabaseTreeNode, MessageNode } from './nodes.ts';
import { loadingRow, messageItem, nothingRow, remedyRows, troubleRows } from './placeholders.ts';
import { spokenRow } from './spokenRow.ts';

const retry = { id: 'dataTransfer.refreshDatabases', title: l10n.t('Retry') };

type ConnectedState = Extract<ConnectionState, { readonly kind: 'connected' }>;

/** What a {@link DatabaseTree} needs. */
export interface DatabaseTreeParts {
  readonly store: ConnectionStore;
  readonly parameters: ParameterStore;
  readonly searchability: SearchabilityStore;
  /** Asks for the search parameters of a database, by its name; they come through the store. */
  loadParameters(name: string): unknown;
  /** Whether the database at this address is a folder that the settings name. */
  isSaved(url: string): boolean;
}

/** The connection and the databases that it offers, by organization where there is more than one. */
export class DatabaseTree implements TreeDataProvider<DatabaseTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: DatabaseTreeParts;
  private readonly store: ConnectionStore;
  private readonly rows = new Map<string, DatabaseNode>();
  private readonly changed = this.lifetime.track(new EventEmitter<DatabaseTreeNode | undefined>());
  /** The editor was told and has not drawn since: it will draw what there is then. */
  private isAwaited = false;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(parts: DatabaseTreeParts) {
    this.parts = parts;
    this.store = parts.store;
    this.lifetime.track(parts.store.onDidChange(() => this.redraw()));
    const redrawDatabase = (name: string): void => this.changed.fire(this.rows.get(name));
    this.lifetime.track(parts.parameters.onDidChange(redrawDatabase));
    this.lifetime.track(parts.searchability.onDidChange(redrawDatabase));
  }

  getTreeItem(node: DatabaseTreeNode): TreeItem {
    if (node.kind === 'message') return messageItem(node);
    if (node.kind === 'connection') return connectionItem(this.store.state);
    if (node.kind === 'organization') return organizationItem(node.name);
    return this.databaseItem(this.store.database(node.name));
  }

  getChildren(parent?: DatabaseTreeNode): DatabaseTreeNode[] {
    if (!parent) this.isAwaited = false;
    const { state, listing } = this.store;
    if (parent?.kind === 'organization') {
      return this.databaseRows(listing.databases.filter((database) => database.organization === parent.name));
    }
    if (parent?.kind === 'database') return this.parameterRows(parent.name);
    if (parent || state.kind === 'disconnected') return [];
    if (state.kind === 'connecting') return [{ kind: 'connection' }, loadingRow('connection', connectingText(state))];
    if (state.kind === 'stopped') return [{ kind: 'connection' }, stoppedRow()];
    if (state.kind === 'failed') return [{ kind: 'connection' }, ...failedRows(state.connection, state.reason)];
    return [{ kind: 'connection' }, ...doubtRows(state), ...this.listed(state)];
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Tells the editor as seldom as possible: while it draws rows again, a click on one of them comes without the row. */
  private redraw(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    this.changed.fire(undefined);
  }

  private listed({ connection, doubt }: ConnectedState): DatabaseTreeNode[] {
    const { databases, loading, reason } = this.store.listing;
    const isSaid = doubt !== undefined && reason !== undefined && isSignInRejected(reason);
    const troubles = reason && !isSaid ? unlistedRows(connection, reason) : [];
    if (databases.length === 0 && loading) return [loadingRow('databases')];
    if (databases.length === 0 && !reason) return [nothingRow('databases', l10n.t('This service has no databases.'))];
    const organizations = [...new Set(databases.map((database) => database.organization))];
    if (organizations.length < 2) return [...troubles, ...this.databaseRows(databases)];
    return [...troubles, ...organizations.map((name) => ({ kind: 'organization' as const, name }))];
  }

  /** The same row for a database every time, so that it can be drawn again alone. */
  private databaseRows(databases: readonly Database[]): DatabaseNode[] {
    return databases.map(({ name }) => {
      const row = this.rows.get(name) ?? { kind: 'database', name };
      this.rows.set(name, row);
      return row;
    });
  }

  private parameterRows(name: string): MessageNode[] {
    const listing = this.parts.parameters.get(name);
    const owner = `parameters/${name}`;
    if (!listing) {
      this.parts.loadParameters(name);
      return [loadingRow(owner)];
    }
    if (!listing.reason) return [parametersRow(owner, listing.parameters)];
    const why = reasonText(listing.reason);
    const sentence = l10n.t('Could not fetch the search parameters: {0}', why);
    return troubleRows(owner, { sentence, why, way: retry });
  }

  private searchabilityOf(database: string): Searchability | undefined {
    const { state } = this.store;
    if (state.kind !== 'connected') return undefined;
    const service = { connectionId: state.connection.id, version: state.service.version };
    return this.parts.searchability.get(service, database);
  }

  private databaseItem(database: Database | undefined): TreeItem {
    const item = new TreeItem(databaseText(database?.name ?? ''), TreeItemCollapsibleState.Collapsed);
    item.contextValue = 'database';
    item.iconPath = new ThemeIcon('database');
    if (!database) return item;
    if (this.parts.isSaved(database.url)) item.contextValue = 'database.saved';
    item.id = `database/${database.id}/${database.name}`;
    const known = this.searchabilityOf(database.name);
    if (known) item.description = searchabilityText(known);
    const facts = [database.name, database.organization, database.url].map(plainLine);
    item.tooltip = [...facts, known && searchabilityDetail(known)].filter(Boolean).join('\n');
    return spokenRow(item);
  }
}

/** A service that somebody stopped has not failed: it only has to be started. */
function stoppedRow(): DatabaseTreeNode {
  const row = nothingRow('connection', l10n.t('The local service was stopped. Start'));
  return { ...row, command: { id: 'dataTransfer.startLocalService', title: l10n.t('Start') } };
}

const withoutKey: ReadonlySet<ReasonKind> = new Set(['keyMissing', 'keyGone', 'keyElsewhere', 'variableEmpty']);

function failedRows({ id }: Connection, reason: Reason): MessageNode[] {
  const why = reasonText(reason);
  const sentence = l10n.t('Could not connect: {0}', why);
  if (withoutKey.has(reason.kind))
    return troubleRows('connection', { sentence, why, way: setKeyRemedy(id), wayLook: 'key' });
  return [...troubleRows('connection', { sentence, why, way: retry }), ...remedyRows('connection', reason, id)];
}

function unlistedRows({ id }: Connection, reason: Reason): MessageNode[] {
  const why = reasonText(reason);
  const sentence = l10n.t('Could not list databases: {0}', why);
  return [...troubleRows('databases', { sentence, why, way: retry }), ...remedyRows('databases', reason, id)];
}

function connectingText({ doubt }: { readonly doubt?: Reason }): string {
  return doubt ? doubtText(doubt) : l10n.t('Connecting…');
}

/** The rows about a key that was accepted before and is rejected now: retried by itself, or refused for good (D28). */
function doubtRows({ connection: { id }, doubt }: ConnectedState): MessageNode[] {
  if (!doubt) return [];
  const why = reasonText(doubt);
  if (doubt.keyWorked) return [{ ...loadingRow('key', doubtText(doubt)), tooltip: `${doubtText(doubt)}\n${why}` }];
  const argument: ConnectionNode = { kind: 'connection', id };
  const sentence = l10n.t('Transfers wait until the service accepts the API key: {0}', why);
  return [...troubleRows('key', { sentence, why, way: { ...retry, argument } }), ...remedyRows('key', doubt, id)];
}

/** More parameters than these make a tooltip that nobody can read. */
const mostParameters = 20;

function parametersRow(owner: string, parameters: ParameterListing['parameters']): MessageNode {
  const names = Object.keys(parameters);
  const lines = Object.entries(parameters)
    .slice(0, mostParameters)
    .map(([name, one]) => plainLine(l10n.t('{0}: {1}', plainLine(name), parameterTypeText(one))));
  if (names.length > lines.length) lines.push('…');
  const text =
    names.length === 0
      ? l10n.t('No search parameters of its own')
      : l10n.t('Search parameters: {0}', plainLine(listText(names)));
  return {
    kind: 'message',
    id: `${owner}/names`,
    look: 'about',
    text,
    ...(lines.length > 0 && { tooltip: lines.join('\n') }),
  };
}

const unconnected = {
  connecting: () => l10n.t('connecting'),
  failed: () => l10n.t('not connected'),
  stopped: () => l10n.t('stopped'),
};

function connectionItem(state: ConnectionState): TreeItem {
  if (state.kind === 'disconnected') return new TreeItem('');
  const item = new TreeItem(plainLine(state.connection.name));
  item.id = 'connection';
  item.contextValue = machineOf(state.connection.id) === undefined ? 'connection' : 'connection.local';
  item.command = { command: 'dataTransfer.switchConnection', title: l10n.t('Switch Connection') };
  if (state.kind === 'connected') showService(item, state);
  else {
    item.description = unconnected[state.kind]();
    item.tooltip = plainLine(state.connection.server);
    item.iconPath = new ThemeIcon(state.kind === 'connecting' ? 'vm-connect' : 'vm-outline');
  }
  return spokenRow(item);
}

/** Shows which service is connected, and whether it responds. */
function showService(item: TreeItem, { service, doubt, problem }: ConnectedState): void {
  const version = plainLine(service.version);
  const shown = doubt ? l10n.t('sign-in rejected') : l10n.t('connected · v{0}', version);
  item.description = problem ? l10n.t('not responding · v{0}', version) : shown;
  const lines = [`${plainLine(service.name)} ${version}`, service.address, problem && reasonText(problem)];
  item.tooltip = [...lines.filter(Boolean), l10n.t('Click to switch.')].join('\n');
  item.iconPath = new ThemeIcon(problem ? 'vm-outline' : 'vm-active');
}

function organizationItem(name: string): TreeItem {
  const label = plainLine(name);
  const item = new TreeItem(label === '' ? l10n.t('(no organization)') : label, TreeItemCollapsibleState.Expanded);
  item.id = `organization/${name}`;
  item.contextValue = 'organization';
  item.iconPath = new ThemeIcon('organization');
  return item;
}
