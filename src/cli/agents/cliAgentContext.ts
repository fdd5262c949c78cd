import { CallQueue, type AgentContext } from '../../core/agents/agentContext.ts';
import { AgentError } from '../../core/agents/agentError.ts';
import { AgentPolicy } from '../../core/agents/agentPolicy.ts';
import { PlanStore } from '../../core/agents/planStore.ts';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import type { Logger } from '../../core/util/logger.ts';
import { CliError } from '../cliError.ts';
import {
  chooseConnection,
  findRecordConnection,
  toAddress,
  type FileConnection,
} from '../connections/connectionsFile.ts';
import { type CliSession, readServiceFile } from '../connections/cliSession.ts';
import { sendOrder } from '../transfers/transferStart.ts';
import { getLedgerFolder } from '../commandContext.ts';
import { describeListing, describeReason } from '../text/sentences.ts';

/** The part of the context that doesn't depend on the caller of a tool. */
export type SharedAgentContext = Omit<AgentContext, 'requestedBy' | 'confirm'>;

/** Creates the context for tools that run without an editor. Connects to services on demand. */
export function createAgentContext(session: CliSession, log: Logger): SharedAgentContext {
  const { context, explorer } = session;
  const folder = getLedgerFolder(context);
  const open = createOpener(session);
  return {
    services: explorer,
    clock: context.clock,
    log,
    describeReason,
    describeListing,
    plans: new PlanStore(folder, context.clock, log),
    policy: new AgentPolicy(folder),
    queue: new CallQueue(),
    connect: async () => await open(async () => chooseConnection(context.options, session.file)),
    open: async (id, address) => await open(async () => await findConnection(session, id, address)),
    getOrcid: (connectionId) => session.getOrcid(connectionId),
    submit: (order, requestedBy) => sendOrder(session, order, requestedBy),
    findFolder: () => Promise.resolve(undefined),
  };
}

type ConnectionGetter = () => Promise<FileConnection>;

/** Returns a function that opens connections one at a time, because a second attempt would abort the first. */
function createOpener(session: CliSession): (getConnection: ConnectionGetter) => Promise<OpenConnection> {
  let last: Promise<unknown> = Promise.resolve();
  return async (getConnection) => {
    const attempt = last.then(async () => await session.open(await getConnection()));
    last = attempt.catch(() => undefined);
    return await attempt.catch((error: unknown) => {
      throw error instanceof CliError ? new AgentError('notConnected', "Couldn't connect.", error.message) : error;
    });
  };
}

/**
 * Returns the connection with this ID or, if `address` is given and no connection has the ID, the default connection.
 * Throws an error if there is no such connection, or if its address isn't `address`.
 */
async function findConnection({ context, file }: CliSession, id: string, address?: string): Promise<FileConnection> {
  const found = findRecordConnection(context.options, file, id) ?? chooseConnection(context.options, file);
  const isRight = address === undefined ? found.id === id : (await readAddress(found)) === address;
  if (isRight) return found;
  throw new AgentError('notConnected', "The service of this transfer isn't known here.");
}

/** Returns the address of a connection. Throws an error if its local service isn't running. */
async function readAddress(connection: FileConnection): Promise<string> {
  const { serviceFile } = connection;
  if (serviceFile === undefined) return toAddress(connection);
  const { address: server } = await readServiceFile(serviceFile);
  return toAddress({ ...connection, server });
}
