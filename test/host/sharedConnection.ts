import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '../../src/core/model/connection.ts';
import { FaultServer } from '../support/faultServer.ts';
import type { ExtensionParts } from './stage.ts';

/** Key of the shared connection. */
export const sharedKey = 'the-key';

/**
 * The server and the saved connection that all connected stages of a window use. A changed setting takes the editor half
 * a second of processor time, so the connection stays saved while no stage is open.
 */
export class SharedConnection {
  readonly server: FaultServer;
  private saved: Connection | undefined;

  private constructor(server: FaultServer) {
    this.server = server;
  }

  private static last: SharedConnection | undefined;

  /** Returns the shared connection, with a server that has no routes, has received nothing, and can be reached. */
  static async prepare(): Promise<SharedConnection> {
    const { last } = SharedConnection;
    // Another program may have taken the port of a server that a test has stopped.
    const isReady = last?.server.reset().then(
      () => true,
      () => false,
    );
    if (last && (await isReady)) return last;
    return (SharedConnection.last = new SharedConnection(await FaultServer.start()));
  }

  /** Takes the only saved connection as the shared one, and returns it. */
  save({ settings }: ExtensionParts): Connection {
    const [saved, ...others] = settings.connections;
    assert.ok(saved && others.length === 0, 'one connection is saved');
    this.saved = saved;
    return saved;
  }

  /** Resolves to the saved connection if it is the only one in the settings, unchanged and with its key. */
  async find({ settings, apiKeys }: ExtensionParts): Promise<Connection | undefined> {
    const { saved } = this;
    if (!saved || !isDeepStrictEqual(settings.connections, [saved])) return undefined;
    return (await apiKeys.get(saved)) === sharedKey ? saved : undefined;
  }

  /**
   * Removes what the extension has learned about the server. The extension identifies a server by its address, and would
   * apply in the next stage what it learned in this one.
   */
  async forget({ connectFlow, metadataFlow, searchFlow, monitor }: ExtensionParts): Promise<void> {
    const client = await connectFlow['dependencies'].createClient();
    const { dialects, queues } = client['services'];
    client.dispose();
    dialects['entries'].clear();
    queues.dispose();
    queues['queues'].clear();
    metadataFlow['dependencies'].unsafeIds['databases'].clear();
    searchFlow['dependencies'].searchability['entries'].clear();
    for (const queue of monitor['queues'].values()) queue.dispose();
    monitor['queues'].clear();
    monitor['failingServers'].clear();
  }
}
