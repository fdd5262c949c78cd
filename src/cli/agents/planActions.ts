import { createInterface } from 'node:readline/promises';
import { AgentError, type AgentErrorCode } from '../../core/agents/agentError.ts';
import { requireSubmissionAllowed, submitPlan, withFilesUnderWay } from '../../core/agents/planSubmission.ts';
import { createRedactingLog } from '../../core/util/logger.ts';
import { CliError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';
import { createStartError, reportTransfer } from '../transfers/transferStart.ts';
import { createAgentContext, type SharedAgentContext } from './cliAgentContext.ts';
import { nothingSent } from '../transfers/transferStart.ts';
import { describeDecided, formatPlanSummary, planColumns, toPlanDocument } from './planSummary.ts';

/** Performs an action that a person takes on plans. Resolves to the command's exit code. */
type PlanAction = (session: CliSession, agents: SharedAgentContext, id: string) => Promise<ExitCode>;

const place = 'terminal';

/** The name of an action on plans, which is also the name of its command. */
export type PlanActionName = keyof typeof actions;

const actions = { list: listPlans, show: showPlan, confirm: confirmPlan, decline: declinePlan } satisfies Readonly<
  Record<string, PlanAction>
>;

/** Runs an action on the plan with this ID (`list` ignores the ID). Throws CliError if the action fails. */
export async function runPlanAction(context: CommandContext, name: PlanActionName, id: string): Promise<ExitCode> {
  const note = (message: string): void => context.output.note(message);
  const drop = (): void => undefined;
  const log = createRedactingLog({ trace: drop, debug: drop, info: drop, warn: note, error: note });
  return await CliSession.run(context, (session) =>
    actions[name](session, createAgentContext(session, log), id).catch(rethrow),
  );
}

const exitCodes: Partial<Readonly<Record<AgentErrorCode, ExitCode>>> = {
  notFound: exitCode.notFound,
  notConnected: exitCode.connection,
  planElsewhere: exitCode.connection,
};

function rethrow(error: unknown): never {
  if (!(error instanceof AgentError)) throw error;
  const cause = typeof error.reason === 'string' ? ` ${error.reason}` : '';
  throw new CliError(`${error.message}${cause}`, exitCodes[error.code] ?? exitCode.failed);
}

async function listPlans({ context }: CliSession, { plans }: SharedAgentContext): Promise<ExitCode> {
  const saved = await plans.list();
  const table = { columns: planColumns, rows: saved, emptyNote: 'No agent has proposed a transfer in the last day.' };
  context.output.printTable({ plans: saved.map(toPlanDocument) }, table);
  return exitCode.done;
}

async function showPlan({ context }: CliSession, agents: SharedAgentContext, id: string): Promise<ExitCode> {
  const saved = await agents.plans.require(id);
  context.output.print(toPlanDocument(saved), () => `${formatPlanSummary(saved.plan)}State: ${saved.state.kind}\n`);
  return exitCode.done;
}

async function confirmPlan(session: CliSession, agents: SharedAgentContext, id: string): Promise<ExitCode> {
  // Reopens the plan if its program ended before it sent the transfer.
  await loadTransfers(session);
  const { plan, state } = await agents.plans.require(id);
  const decided = describeDecided(state);
  if (decided !== undefined) throw new CliError(decided);
  await requireSubmissionAllowed(agents);
  const count = String(plan.files.length);
  const { context } = session;
  context.output.note(formatPlanSummary(withFilesUnderWay(agents, plan)));
  const terminal = { input: process.stdin, output: process.stderr };
  const question = `Type the number of files (${count}) to start the transfer: `;
  if (!(await askToType(terminal, question, count, context.signal))) throw new CliError(`${nothingSent}.`);
  const transfer = await submitPlan(agents, plan, place);
  if (transfer.id === undefined) throw createStartError(transfer);
  return await reportTransfer(session, transfer.key, {});
}

async function declinePlan({ context }: CliSession, { plans }: SharedAgentContext, id: string): Promise<ExitCode> {
  const decided = describeDecided((await plans.require(id)).state);
  if (decided !== undefined) throw new CliError(decided);
  const { id: plan } = await plans.decide(id, 'declined', place);
  context.output.print({ plan, state: 'declined' }, () => `Declined plan ${plan}.\n`);
  return exitCode.done;
}

/** The streams of a terminal. */
interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * Asks a person to type `expected`. Resolves to true if it was typed, and to false for other input, after Ctrl+C, or at
 * the end of the input. Rejects if `signal` is aborted, or with a usage error if the streams aren't a terminal, because
 * a program could then answer (D64: a person decides).
 */
export async function askToType(
  { input, output }: Terminal,
  question: string,
  expected: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!input.isTTY || !output.isTTY) throw createUsageError('A plan must be confirmed by a person in a terminal.');
  const lines = createInterface({ input, output });
  // If the interface is closed, Node.js 22 leaves the question's promise pending; later versions reject it.
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answer = lines.question(question, { signal }).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
  try {
    return (await Promise.race([answer, closed]))?.trim() === expected;
  } finally {
    lines.close();
  }
}
