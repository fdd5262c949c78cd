import type { AgentContext } from '../../core/agents/agentContext.ts';
import { AgentError } from '../../core/agents/agentError.ts';
import { AgentPolicy } from '../../core/agents/agentPolicy.ts';
import { CallQueue } from '../../core/agents/callQueue.ts';
import { PlanStore } from '../../core/agents/planStore.ts';
import type { OpenConnection } from '../../core/flows/openConnections.ts';
import type { Database } from '../../core/model/databaseModel.ts';
import { readFreeBytes } from '../../core/util/freeSpace.ts';
import type { Logger } from '../../core/util/logger.ts';
import { CliError } from '../cliError.ts';
import { chooseConnection, findRecordConnection } from '../connections/connectionChoice.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { getLedgerFolder } from '../ledgerFolder.ts';
import { describeReason } from '../text/reasonText.ts';
import { findServedFolder } from '../transfers/destinationFolder.ts';

/** The part of the context that doesn't depend on the caller of a tool. */
export type SharedAgentContext = Omit<AgentContext, 'requestedBy' | 'confirm'>;

/** Creates the context for agents that run without an editor. Connects to the service when a tool first needs it. */
export function createAgentContext(session: CliSession, log: Logger): SharedAgentContext {
  const { context, explorer } = session;
  const folder = getLedgerFolder(context);
  const open = createOpener(session);
  return {
    ...{ services: explorer, clock: context.clock, log, describeReason },
    plans: new PlanStore(folder, context.clock, log),
    policy: new AgentPolicy(folder),
    queue: new CallQueue(),
    connect: async () => await open(() => chooseConnection(context.options, session.file)),
    open: async (id, address) => await open(() => findConnection(session, id, address)),
    getOrcid: (connectionId) => session.getOrcid(connectionId),
    getFreeBytes,
  };
}

type ConnectionGetter = () => ReturnType<typeof chooseConnection>;

/** Returns a function that opens connections one at a time, because a second attempt would abort the first. */
function createOpener(session: CliSession): (getConnection: ConnectionGetter) => Promise<OpenConnection> {
  let last: Promise<unknown> = Promise.resolve();
  return async (getConnection) => {
    const attempt = last.then(async () => await session.open(getConnection()));
    last = attempt.catch(() => undefined);
    return await attempt.catch((error: unknown) => {
      throw error instanceof CliError ? new AgentError('notConnected', "Couldn't connect.", error.message) : error;
    });
  };
}

function findConnection({ context, file }: CliSession, id: string, address?: string) {
  const found = findRecordConnection(context.options, file, id) ?? chooseConnection(context.options, file);
  if (found.id === id || address !== undefined) return found;
  throw new AgentError('notConnected', "The service of this transfer isn't known here.");
}

/** Returns the free bytes at a destination; undefined unless a service on this machine serves it as a folder. */
async function getFreeBytes(session: OpenConnection, destination: Database): Promise<number | undefined> {
  const folder = findServedFolder(session, destination);
  return folder === undefined ? undefined : await readFreeBytes(folder);
}
