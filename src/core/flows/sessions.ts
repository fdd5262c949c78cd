import type { DataTransferClient } from '../client/dataTransferClient.ts';
import type { Connection, ServiceInfo } from '../model/connection.ts';
import { Emitter } from '../util/emitter.ts';
import type { Disposable } from '../util/lifetime.ts';

/** A connection that is open: its key was proved (D6). */
export interface Session {
  readonly connection: Connection;
  readonly service: ServiceInfo;
  readonly client: DataTransferClient;
}

/** The open connections. One is active; others stay open so that their transfers are watched on. */
export class Sessions implements Disposable {
  private readonly open = new Map<string, Session>();
  private activeId: string | undefined;
  private readonly changed = new Emitter<void>();

  /** Fires when a session was opened, closed or made active. */
  readonly onDidChange = this.changed.event;

  get active(): Session | undefined {
    return this.activeId === undefined ? undefined : this.open.get(this.activeId);
  }

  /** In the order in which they were opened. */
  all(): readonly Session[] {
    return [...this.open.values()];
  }

  get(connectionId: string): Session | undefined {
    return this.open.get(connectionId);
  }

  /** Makes a session the active one; an older one of the same connection is closed. */
  activate(session: Session): void {
    this.activeId = session.connection.id;
    this.add(session);
  }

  /** Leaves no session active; the one that was stays open, so that its transfers are watched. */
  deactivate(): void {
    if (this.activeId === undefined) return;
    this.activeId = undefined;
    this.changed.fire();
  }

  /** Keeps a session open beside the active one, so that its transfers are watched. */
  add(session: Session): void {
    const older = this.open.get(session.connection.id);
    if (older && older.client !== session.client) older.client.dispose();
    this.open.set(session.connection.id, session);
    this.changed.fire();
  }

  close(connectionId: string): void {
    this.open.get(connectionId)?.client.dispose();
    this.open.delete(connectionId);
    if (this.activeId === connectionId) this.activeId = undefined;
    this.changed.fire();
  }

  dispose(): void {
    for (const session of this.open.values()) session.client.dispose();
    this.open.clear();
    this.activeId = undefined;
  }
}
