import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAgentContext, type SharedAgentContext } from '../../../src/cli/agents/cliAgentContext.ts';
import { CliSession } from '../../../src/cli/connections/cliSession.ts';
import { Output } from '../../../src/cli/output.ts';
import { findFreeBytes } from '../../../src/core/transfers/submissionFacts.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { orcid } from '../../support/explorerDependencies.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The free space at a destination, outside the editor', () => {
  let folder: string;
  let servers: readonly FaultServer[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'free-space-'));
    servers = [await FaultServer.start(), await FaultServer.start()];
  });
  afterEach(async () => {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true });
  });

  /** Opens the connections `0` and `1`. Each service has a database named Target with one of the given URLs. */
  async function open(
    urls: readonly string[],
    use: (context: SharedAgentContext) => Promise<void>,
    listing?: object,
  ): Promise<void> {
    const connections = servers.map(({ address: server }, index) => {
      return { id: `${index}`, name: `${index}`, server, apiKeyVariable: 'KEY' };
    });
    for (const [index, server] of servers.entries()) {
      server.on('GET /', json({ name: 'Test', version: '1.0.0' }));
      const database = { id: 'target', name: 'Target', organization: '', url: urls[index], listing };
      server.on('GET /api/v1/databases', json([database]));
    }
    const file = join(folder, 'connections.json');
    await writeFile(file, JSON.stringify({ orcid, connections }));
    const { signal } = new AbortController();
    const options = { connections: file, connection: '0', ledger: join(folder, 'ledger') };
    const streams = { output: new Output(process, false), environment: { KEY: 'the-key' } };
    await CliSession.run({ options, clock: systemClock, signal, ...streams }, async (session) => {
      await use(createAgentContext(session, new MemoryLog()));
    });
  }

  /** Returns the free space at the database Target of a connection, in bytes. */
  async function getFreeBytes(context: SharedAgentContext, id: string): Promise<number | undefined> {
    const session = await context.open(id);
    const [target] = (await session.client.databases()).value;
    assert.ok(target);
    return await findFreeBytes(session, target);
  }

  it('is that of the folder which the service of the plan serves, whichever connection was opened last', async () => {
    await open([pathToFileURL(folder).href, ''], async (context) => {
      await context.connect();
      assert.equal(typeof (await getFreeBytes(context, '0')), 'number');
      await context.open('1');
      assert.equal(typeof (await getFreeBytes(context, '0')), 'number');
      assert.equal(await getFreeBytes(context, '1'), undefined);
    });
  });

  it('is that which the service reports, as for a store', async () => {
    const listing = { state: 'listed', files: 1, freeBytes: 42 };
    await open(
      ['s3:bucket', 's3:bucket'],
      async (context) => {
        assert.equal(await getFreeBytes(context, '0'), 42);
      },
      listing,
    );
  });

  it('is not that of a database with the same name at another service', async () => {
    await open(['', pathToFileURL(folder).href], async (context) => {
      await context.connect();
      await context.open('1');
      assert.equal(await getFreeBytes(context, '0'), undefined);
      assert.equal(typeof (await getFreeBytes(context, '1')), 'number');
    });
  });

  it('is unknown for a folder whose URL is not a path on this system', async () => {
    await open(['file://other-host/share', 'file:///a%2Fb'], async (context) => {
      await context.connect();
      assert.equal(await getFreeBytes(context, '0'), undefined);
      assert.equal(await getFreeBytes(context, '1'), undefined);
    });
  });
});
