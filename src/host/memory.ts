import type { Memento } from 'vscode';
import type { StagingStatus } from '../core/model/searchQuery.ts';
import { isJsonObject, type JsonObject } from '../core/util/json.ts';

/** A search that was made: without `database` it was one of all databases, without `pageSize` it took that of the settings. */
export interface RecentSearch {
  readonly database?: string;
  readonly query: string;
  readonly status?: StagingStatus;
  readonly pageSize?: number;
  readonly specific?: JsonObject;
}

const mostSearches = 20;
const mostConnections = 20;
const longestSearch = 4000;

const mostLandedFolders = 50;
const longestKept = 20_000;

/** Instructions that were typed, or that stood in the file of this address. */
export type LastInstructions = { readonly text: string } | { readonly file: string };

/** Small things that make the next time easier; nothing here is secret, and all of it may be lost. */
export class Memory {
  private readonly state: Memento;

  constructor(state: Memento) {
    this.state = state;
  }

  /** The connection that was last active. */
  get lastConnectionId(): string | undefined {
    return this.text('lastConnectionId');
  }

  get lastDestination(): string | undefined {
    return this.text('lastDestination');
  }

  get lastDescription(): string | undefined {
    return this.text('lastDescription');
  }

  /** Where the instructions of the last transfer came from: the text, or the address of a file. */
  get lastInstructions(): LastInstructions | undefined {
    const kept = this.state.get<unknown>('lastInstructions');
    if (!isJsonObject(kept)) return undefined;
    const { text, file } = kept;
    if (typeof text === 'string') return { text };
    return typeof file === 'string' ? { file } : undefined;
  }

  /** Keeps what was said of a transfer for the next one; nothing where nothing was said, or too much. */
  async rememberDetails(destination: string, description = '', instructions?: LastInstructions): Promise<void> {
    await this.state.update('lastDestination', destination);
    if (description !== '' && description.length <= longestKept)
      await this.state.update('lastDescription', description);
    if (instructions && JSON.stringify(instructions).length <= longestKept)
      await this.state.update('lastInstructions', instructions);
  }

  /** What was learned of servers, in the form that was given to {@link keepServerDialects} (D7, D8). */
  get serverDialects(): unknown {
    return this.state.get<unknown>('serverDialects');
  }

  async keepServerDialects(kept: unknown): Promise<void> {
    await this.state.update('serverDialects', kept);
  }

  /** The searches that were made of a connection, the last one first; each once. */
  recentSearches(connectionId: string): readonly RecentSearch[] {
    return this.searches.get(connectionId) ?? [];
  }

  /** Puts a search first among those of a connection. One that is too long to be read again is not kept. */
  async rememberSearch(connectionId: string, search: RecentSearch): Promise<void> {
    const text = JSON.stringify(search);
    if (text.length > longestSearch) return;
    const others = this.recentSearches(connectionId).filter((one) => JSON.stringify(one) !== text);
    const { searches } = this;
    searches.delete(connectionId);
    const kept = [...searches, [connectionId, [search, ...others].slice(0, mostSearches)] as const];
    await this.state.update('recentSearches', Object.fromEntries(kept.slice(-mostConnections)));
  }

  async remember(what: 'lastConnectionId', value: string): Promise<void> {
    await this.state.update(what, value);
  }

  private get searches(): Map<string, readonly RecentSearch[]> {
    const kept = this.state.get<unknown>('recentSearches');
    const lists = Object.entries(isJsonObject(kept) ? kept : {});
    return new Map(lists.map(([id, list]) => [id, Array.isArray(list) ? list.filter(isRecentSearch) : []]));
  }

  /** The folder in which the transfers to a database of a connection land, as the person has shown it. */
  landedFolder(connectionId: string, database: string): string | undefined {
    return this.landedFolders.find(([id, name]) => id === connectionId && name === database)?.[2];
  }

  async rememberLandedFolder(connectionId: string, database: string, folder: string): Promise<void> {
    const others = this.landedFolders.filter(([id, name]) => id !== connectionId || name !== database);
    const kept = [[connectionId, database, folder], ...others].slice(0, mostLandedFolders);
    await this.state.update('landedFolders', kept);
  }

  private get landedFolders(): readonly (readonly string[])[] {
    const kept = this.state.get<unknown>('landedFolders');
    const isTexts = (row: unknown): row is string[] =>
      Array.isArray(row) && row.every((text) => typeof text === 'string');
    return Array.isArray(kept) ? kept.filter(isTexts) : [];
  }

  private text(key: string): string | undefined {
    const value = this.state.get<unknown>(key);
    return typeof value === 'string' ? value : undefined;
  }
}

function isRecentSearch(value: unknown): value is RecentSearch {
  if (!isJsonObject(value)) return false;
  const { database, query, status, pageSize, specific } = value;
  return (
    typeof query === 'string' &&
    (database === undefined || typeof database === 'string') &&
    (status === undefined || status === 'staged' || status === 'unstaged') &&
    (pageSize === undefined || (Number.isInteger(pageSize) && Number(pageSize) > 0)) &&
    (specific === undefined || isJsonObject(specific))
  );
}
