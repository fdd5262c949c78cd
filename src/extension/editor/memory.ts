import { citationFormats, type CitationFormat } from '../../core/citations/citationFormats.ts';
import type { FileStaging } from '../../core/model/searchModel.ts';
import { isJsonObject, omit, type JsonObject } from '../../core/util/json.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';
import type { StateFiles } from './stateFiles.ts';

/** A recent search. */
export interface RecentSearch {
  /** Absent for a search of all databases. */
  readonly database?: string;
  readonly query: string;
  readonly status?: FileStaging;
  /** Absent if the page size is the one in the settings. */
  readonly pageSize?: number;
  readonly specific?: JsonObject;
}

interface LastCitation {
  readonly format?: CitationFormat;
  readonly action?: 'copy' | 'insert' | 'save';
}

const maxSearches = 20;
const maxConnections = 20;
const maxSearchLength = 4000;
const maxServers = 50;

const maxDestinationFolders = 50;
const maxStoredLength = 20_000;

/** The text of the instructions, or the URI of the file that contains them. */
export type LastInstructions = { readonly text: string } | { readonly file: string };

function omitFolder(text: string): LastInstructions | undefined {
  const read = readJsonObject(text);
  if (read.kind !== 'object' || !('folder' in read.value)) return { text };
  const others = omit(read.value, 'folder');
  return Object.keys(others).length > 0 ? { text: JSON.stringify(others) } : undefined;
}

/** Stores recent input and learned facts. Must not contain secrets. */
export class Memory {
  private readonly state: StateFiles;

  constructor(state: StateFiles) {
    this.state = state;
  }

  async getLastConnectionId(): Promise<string | undefined> {
    return await this.readText('lastConnectionId');
  }

  /** Stores the ID of the active connection (D45: store before showing). */
  async rememberConnection(id: string): Promise<void> {
    await this.state.write('lastConnectionId', id);
  }

  async getLastDestination(): Promise<string | undefined> {
    return await this.readText('lastDestination');
  }

  async getLastDescription(): Promise<string | undefined> {
    return await this.readText('lastDescription');
  }

  /** Returns the last instructions, without the chosen name of a folder, which only one transfer can have. */
  async getLastInstructions(): Promise<LastInstructions | undefined> {
    const stored = await this.state.read('lastInstructions');
    if (!isJsonObject(stored)) return undefined;
    const { text, file } = stored;
    if (typeof text === 'string') return omitFolder(text);
    return typeof file === 'string' ? { file } : undefined;
  }

  /** Stores a transfer's details as suggestions. Keeps the earlier ones in place of missing or very long ones. */
  async rememberDetails(destination: string, description = '', instructions?: LastInstructions): Promise<void> {
    await this.state.write('lastDestination', destination);
    if (description !== '' && description.length <= maxStoredLength)
      await this.state.write('lastDescription', description);
    if (instructions && JSON.stringify(instructions).length <= maxStoredLength)
      await this.state.write('lastInstructions', instructions);
  }

  /** Returns the learned dialects of servers (D7: database name or id, D8: metadata by ids). */
  async getServerDialects(): Promise<unknown> {
    return await this.state.read('serverDialects');
  }

  /** Stores the dialects learned by this window. Preserves those of other servers, up to a limit. */
  async saveServerDialects(learned: JsonObject): Promise<void> {
    await this.addLearned('serverDialects', learned, maxServers);
  }

  /** Returns the learned searchability of databases (D38: learned searchability). */
  async getSearchability(): Promise<unknown> {
    return await this.state.read('searchability');
  }

  /** Stores the searchability learned by this window. Preserves the entries of other connections, up to a limit. */
  async saveSearchability(learned: JsonObject): Promise<void> {
    await this.addLearned('searchability', learned, maxConnections);
  }

  private async addLearned(name: string, learned: JsonObject, maxCount: number): Promise<void> {
    await this.state.update(name, (stored) => {
      const others = Object.entries(isJsonObject(stored) ? stored : {}).filter(([key]) => !(key in learned));
      return Object.fromEntries([...others, ...Object.entries(learned)].slice(-maxCount));
    });
  }

  /** Returns a connection's recent searches without duplicates, most recent first. */
  async getRecentSearches(connectionId: string): Promise<readonly RecentSearch[]> {
    return readSearches(await this.state.read('recentSearches')).get(connectionId) ?? [];
  }

  /** Stores a search as the most recent one for a connection, unless the search is very long. */
  async rememberSearch(connectionId: string, search: RecentSearch): Promise<void> {
    const text = JSON.stringify(search);
    if (text.length > maxSearchLength) return;
    await this.state.update('recentSearches', (stored) => {
      const searches = readSearches(stored);
      const others = (searches.get(connectionId) ?? []).filter((one) => JSON.stringify(one) !== text);
      searches.delete(connectionId);
      const all = [...searches, [connectionId, [search, ...others].slice(0, maxSearches)] as const];
      return Object.fromEntries(all.slice(-maxConnections));
    });
  }

  async getLastCitation(): Promise<LastCitation> {
    const stored = await this.state.read('lastCitation');
    const { format: storedFormat, action: storedAction } = isJsonObject(stored) ? stored : {};
    const format = citationFormats.find((known) => known === storedFormat);
    const action = (['copy', 'insert', 'save'] as const).find((known) => known === storedAction);
    return { ...(format && { format }), ...(action && { action }) };
  }

  async rememberCitation(citation: LastCitation): Promise<void> {
    await this.state.write('lastCitation', citation);
  }

  async getLastIdFile(): Promise<string | undefined> {
    return await this.readText('lastIdFile');
  }

  async rememberIdFile(address: string): Promise<void> {
    await this.state.write('lastIdFile', address);
  }

  /** Returns the folder where the user found the files transferred to a database. */
  async getDestinationFolder(connectionId: string, database: string): Promise<string | undefined> {
    const folders = readFolders(await this.state.read('landedFolders'));
    return folders.find(([id, name]) => id === connectionId && name === database)?.[2];
  }

  async rememberDestinationFolder(connectionId: string, database: string, folder: string): Promise<void> {
    await this.state.update('landedFolders', (stored) => {
      const others = readFolders(stored).filter(([id, name]) => id !== connectionId || name !== database);
      return [[connectionId, database, folder], ...others].slice(0, maxDestinationFolders);
    });
  }

  private async readText(name: string): Promise<string | undefined> {
    const value = await this.state.read(name);
    return typeof value === 'string' ? value : undefined;
  }
}

function readSearches(stored: unknown): Map<string, readonly RecentSearch[]> {
  const lists = Object.entries(isJsonObject(stored) ? stored : {});
  return new Map(lists.map(([id, list]) => [id, Array.isArray(list) ? list.filter(isRecentSearch) : []]));
}

function readFolders(stored: unknown): readonly (readonly string[])[] {
  const isTexts = (row: unknown): row is string[] =>
    Array.isArray(row) && row.every((text) => typeof text === 'string');
  return Array.isArray(stored) ? stored.filter(isTexts) : [];
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
