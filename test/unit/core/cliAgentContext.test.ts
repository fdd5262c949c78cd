import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentContext } from '../../../src/cli/agents/cliAgentContext.ts';
import type { CommandContext } from '../../../src/cli/commandContext.ts';
import { CliSession } from '../../../src/cli/connections/cliSession.ts';
import { Output } from '../../../src/cli/output.ts';
import { createStartError } from '../../../src/cli/transfers/transferStart.ts';
import { submitPlan } from '../../../src/core/agents/planSubmission.ts';
import { toPlannedOrder } from '../../../src/core/agents/transferPlan.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { describeProcess } from '../../../src/core/util/ownProcess.ts';
import { orcid } from '../../support/explorerDependencies.ts';
import { json, silence } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { until } from './rig.ts';

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

describe('A plan that was confirmed in a terminal', () => {
  const route = 'POST /api/v1/transfers';

  it('is withdrawn by an interruption while it waits for its turn, and can be confirmed again (D34)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-plans-'));
    const server = await FaultServer.start();
    const databases = ['Alpha', 'Beta'].map((name) => ({ id: name.toLowerCase(), name, organization: '', url: '' }));
    server.on('GET /', json({ name: 'Test', version: '1' })).on('GET /api/v1/databases', json(databases));
    const found = json({ resources: [{ id: 'f1', name: 'f1', path: 'f1.csv' }] });
    server.on(route, silence()).on('GET /api/v1/files/by-id', found).on('POST /api/v1/files', found);
    const interruption = new AbortController();
    const context: CommandContext = {
      options: { server: server.address, orcid, keyVariable: 'THE_KEY', ledger: join(folder, 'transfers') },
      output: new Output(process, false),
      environment: { THE_KEY: 'the-key' },
      clock: systemClock,
      signal: interruption.signal,
    };
    await CliSession.run(context, async (session) => {
      const { connection, service } = await session.connect();
      const agents = createAgentContext(session, new MemoryLog());
      const files = [{ id: 'f1', path: 'f1.csv' }];
      const plan = await agents.plans.create({
        createdAt: Date.now(),
        expiresAt: Date.now() + 60_000,
        requestedBy: 'agent',
        textOrigin: 'agent',
        files,
        service: { ...service, connectionId: connection.id, orcid },
        source: 'Alpha',
        destination: 'Beta',
        licenses: [],
        copies: { atDestination: 0, isComplete: false, received: 0, underWay: 0 },
      });
      const { transferFlow, transferStore } = session.explorer;
      const first = transferFlow.submit(toPlannedOrder(plan, connection.id));
      while (server.requestsTo(route).length === 0) await server.received(server.requests.length + 1);
      const submitting = submitPlan(agents, plan, 'terminal');
      await until(transferStore.onDidChange, () => transferStore.getAll().length === 2);
      interruption.abort();
      const transfer = await submitting;
      assert.equal(createStartError(transfer).message, 'Interrupted. Nothing was sent.');
      assert.equal((await agents.plans.require(plan.id)).state.kind, 'proposed');
      await first;
    });
    assert.equal(server.requestsTo(route).length, 1);
    await server.stop();
    await rm(folder, { recursive: true });
  });
});
