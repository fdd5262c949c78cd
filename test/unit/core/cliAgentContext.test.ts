import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentContext } from '../../../src/cli/agents/cliAgentContext.ts';
import type { CommandContext } from '../../../src/cli/commandContext.ts';
import { CliSession } from '../../../src/cli/connections/cliSession.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { describeProcess } from '../../../src/core/util/ownProcess.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const unknown = "The service of this transfer isn't known here.";
const elsewhere = 'https://planned.example.org';

describe('The service of a plan, for the command line', () => {
  let folder: string;
  let server: FaultServer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cli-agents-'));
    server = await FaultServer.start();
    server.on('GET /', json({ name: 'Test', version: '1' })).on('GET /api/v1/databases', json([]));
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /**
   * Opens the connection with the given ID and, if specified, address. Resolves to the ID of the open connection or to
   * the error message.
   */
  async function open(options: CommandContext['options'], id: string, address?: string): Promise<unknown> {
    const context: CommandContext = {
      options: { ...options, orcid: '0000-0002-1825-0097', keyVariable: 'THE_KEY', ledger: join(folder, 'transfers') },
      output: undefined as never,
      environment: { THE_KEY: 'the-key' },
      clock: systemClock,
      signal: new AbortController().signal,
    };
    return await CliSession.run(context, async (session) => {
      const opened = createAgentContext(session, new MemoryLog()).open(id, address);
      return await opened.then(({ connection }) => connection.id).catch((error: unknown) => (error as Error).message);
    });
  }

  async function writeConnections(...connections: readonly object[]): Promise<CommandContext['options']> {
    const file = join(folder, 'connections.json');
    await writeFile(file, JSON.stringify({ connections }));
    return { connections: file };
  }

  it('is the only one in the file if it has the address, whatever its ID', async () => {
    const options = await writeConnections({ id: 'c', name: 'Test', server: `${server.address}/` });
    assert.equal(await open(options, 'other', server.address), 'c');
  });

  it('is not requested from another address', async () => {
    const options = await writeConnections({ id: 'c', name: 'Test', server: server.address });
    for (const given of [options, { server: server.address }]) {
      assert.equal(await open(given, 'other', elsewhere), unknown);
      assert.equal(await open(given, 'other'), unknown);
    }
    assert.equal(await open(options, 'c', elsewhere), unknown);
    assert.deepEqual(server.requests, []);
  });

  it('is a local service only at the address in its file', async () => {
    const serviceFile = join(folder, 'service.json');
    const access = { address: server.address, token: 'the-token' };
    await writeFile(serviceFile, JSON.stringify({ ...access, ...describeProcess() }));
    const options = await writeConnections({ id: 'local', name: 'Local', serviceFile });
    assert.equal(await open(options, 'other', elsewhere), unknown);
    assert.deepEqual(server.requests, []);
    assert.equal(await open(options, 'other', server.address), 'local');
  });
});
