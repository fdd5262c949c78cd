import type { Memento } from 'vscode';

const mostLandedFolders = 50;

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

  get lastDatabase(): string | undefined {
    return this.text('lastDatabase');
  }

  get lastQuery(): string | undefined {
    return this.text('lastQuery');
  }

  get lastDestination(): string | undefined {
    return this.text('lastDestination');
  }

  /** What was learned of servers, in the form that was given to {@link keepServerDialects} (D7, D8). */
  get serverDialects(): unknown {
    return this.state.get<unknown>('serverDialects');
  }

  async keepServerDialects(kept: unknown): Promise<void> {
    await this.state.update('serverDialects', kept);
  }

  async remember(
    what: 'lastConnectionId' | 'lastDatabase' | 'lastQuery' | 'lastDestination',
    value: string,
  ): Promise<void> {
    await this.state.update(what, value);
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
