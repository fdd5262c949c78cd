import type { StagingStatus } from '../core/model/searchQuery.ts';
import { isJsonObject, type JsonObject } from '../core/util/json.ts';
import type { StateFiles } from './stateFiles.ts';

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
const mostServers = 50;

const mostLandedFolders = 50;
const longestKept = 20_000;

/** Instructions that were typed, or that stood in the file of this address. */
export type LastInstructions = { readonly text: string } | { readonly file: string };

/** Remembers small things that make the next time easier. Nothing here is secret. */
export class Memory {
  private readonly state: StateFiles;

  constructor(state: StateFiles) {
    this.state = state;
  }

  /** Returns the id of the connection that was active last. */
  async lastConnectionId(): Promise<string | undefined> {
    return await this.text('lastConnectionId');
  }

  /** Stores the connection that is active now; stored when it resolves (D45). */
  async rememberConnection(id: string): Promise<void> {
    await this.state.write('lastConnectionId', id);
  }

  async lastDestination(): Promise<string | undefined> {
    return await this.text('lastDestination');
  }

  async lastDescription(): Promise<string | undefined> {
    return await this.text('lastDescription');
  }

  /** Where the instructions of the last transfer came from: the text, or the address of a file. */
  async lastInstructions(): Promise<LastInstructions | undefined> {
    const kept = await this.state.read('lastInstructions');
    if (!isJsonObject(kept)) return undefined;
    const { text, file } = kept;
    if (typeof text === 'string') return { text };
    return typeof file === 'string' ? { file } : undefined;
  }

  /** Keeps what was said of a transfer for the next one; nothing where nothing was said, or too much. */
  async rememberDetails(destination: string, description = '', instructions?: LastInstructions): Promise<void> {
    await this.state.write('lastDestination', destination);
    if (description !== '' && description.length <= longestKept) await this.state.write('lastDescription', description);
    if (instructions && JSON.stringify(instructions).length <= longestKept)
      await this.state.write('lastInstructions', instructions);
  }

  /** What was learned of servers, in the form that was given to {@link keepServerDialects} (D7, D8). */
  async serverDialects(): Promise<unknown> {
    return await this.state.read('serverDialects');
  }

  /** Adds what this window learned of servers to what other windows learned of others. */
  async keepServerDialects(learned: JsonObject): Promise<void> {
    await this.addLearned('serverDialects', learned, mostServers);
  }

  /** Returns what was learned of databases, in the form that was given to {@link saveSearchability} (D38). */
  async searchability(): Promise<unknown> {
    return await this.state.read('searchability');
  }

  /** Adds what this window learned of the databases of some connections to what other windows learned of others. */
  async saveSearchability(learned: JsonObject): Promise<void> {
    await this.addLearned('searchability', learned, mostConnections);
  }

  private async addLearned(name: string, learned: JsonObject, most: number): Promise<void> {
    await this.state.update(name, (kept) => {
      const others = Object.entries(isJsonObject(kept) ? kept : {}).filter(([key]) => !(key in learned));
      return Object.fromEntries([...others, ...Object.entries(learned)].slice(-most));
    });
  }

  /** The searches that were made of a connection, the last one first; each once. */
  async recentSearches(connectionId: string): Promise<readonly RecentSearch[]> {
    return readSearches(await this.state.read('recentSearches')).get(connectionId) ?? [];
  }

  /** Puts a search first among those of a connection. One that is too long to be read again is not kept. */
  async rememberSearch(connectionId: string, search: RecentSearch): Promise<void> {
    const text = JSON.stringify(search);
    if (text.length > longestSearch) return;
    await this.state.update('recentSearches', (kept) => {
      const searches = readSearches(kept);
      const others = (searches.get(connectionId) ?? []).filter((one) => JSON.stringify(one) !== text);
      searches.delete(connectionId);
      const all = [...searches, [connectionId, [search, ...others].slice(0, mostSearches)] as const];
      return Object.fromEntries(all.slice(-mostConnections));
    });
  }

  /** The folder in which the transfers to a database of a connection land, as the person has shown it. */
  async landedFolder(connectionId: string, database: string): Promise<string | undefined> {
    const folders = readFolders(await this.state.read('landedFolders'));
    return folders.find(([id, name]) => id === connectionId && name === database)?.[2];
  }

  async rememberLandedFolder(connectionId: string, database: string, folder: string): Promise<void> {
    await this.state.update('landedFolders', (kept) => {
      const others = readFolders(kept).filter(([id, name]) => id !== connectionId || name !== database);
      return [[connectionId, database, folder], ...others].slice(0, mostLandedFolders);
    });
  }

  private async text(name: string): Promise<string | undefined> {
    const value = await this.state.read(name);
    return typeof value === 'string' ? value : undefined;
  }
}

function readSearches(kept: unknown): Map<string, readonly RecentSearch[]> {
  const lists = Object.entries(isJsonObject(kept) ? kept : {});
  return new Map(lists.map(([id, list]) => [id, Array.isArray(list) ? list.filter(isRecentSearch) : []]));
}

function readFolders(kept: unknown): readonly (readonly string[])[] {
  const isTexts = (row: unknown): row is string[] =>
    Array.isArray(row) && row.every((text) => typeof text === 'string');
  return Array.isArray(kept) ? kept.filter(isTexts) : [];
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
