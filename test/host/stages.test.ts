import assert from 'node:assert/strict';
import { Stage } from './stage.ts';

describe('The stages that share a connection', () => {
  let stage: Stage | undefined;
  afterEach(async () => await stage?.close());

  /** Opens a stage and searches in it. Resolves to everything that depends on the stage before. */
  const openAndSearch = async (): Promise<object> => {
    stage = await Stage.openConnected();
    const { parts, person, server } = stage;
    const learned = parts.searchFlow['dependencies'].searchability.toJSON();
    const { files, reason } = await stage.search('KBase Workspace Service (KSS)', 'JDP:00000');
    const [connection] = parts.settings.connections;
    assert.ok(connection);
    return {
      connection,
      learned,
      reason,
      fileCount: files.length,
      key: await parts.apiKeys.get(connection),
      requests: server.requests.map(({ method, url, body }) => [method, url, body]),
      shown: person.everythingShown,
      recentCount: (await parts.memory.getRecentSearches(connection.id)).length,
    };
  };

  const leftovers: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
    'has learned the names of databases (D7)': async ({ server }) => {
      assert.ok(server.requestsTo('POST /api/v1/files').length > 0);
    },
    'has learned that a database refuses searches (D38)': async (left) => {
      left.service.refusesSearches = true;
      const { reason } = await left.search('KBase Workspace Service (KSS)', 'refused');
      assert.ok(reason);
    },
    'has changed the key': async ({ parts }) => {
      const [connection] = parts.settings.connections;
      assert.ok(connection && (await parts.apiKeys.set(connection, 'another-key')));
    },
    'has removed the connection': async (left) => {
      await left.run('dataTransfer.forgetConnection', { kind: 'connection' });
      assert.deepEqual(left.parts.settings.connections, []);
    },
    'has stopped the server': async ({ server }) => {
      await server.stop();
    },
  };
  for (const [leftover, leave] of Object.entries(leftovers))
    it(`are independent of one that ${leftover}`, async () => {
      const first = await openAndSearch();
      assert.ok(stage);
      await leave(stage);
      await stage.close();
      assert.deepEqual(await openAndSearch(), first);
    });
});
