import type { Memento } from 'vscode';

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

  private text(key: string): string | undefined {
    const value = this.state.get<unknown>(key);
    return typeof value === 'string' ? value : undefined;
  }
}
