import type { Command } from 'commander';
import { AgentError, type AgentErrorCode } from '../../core/agents/agentError.ts';
import { requireSubmissionAllowed, submitPlan } from '../../core/agents/planSubmission.ts';
import type { SavedPlan } from '../../core/agents/transferPlan.ts';
import { createRedactingLog } from '../../core/util/redactingLog.ts';
import { createAgentContext, type SharedAgentContext } from '../agents/cliAgentContext.ts';
import { describeDecided, formatPlanSummary, planColumns, toPlanDocument } from '../agents/planSummary.ts';
import { askToType } from '../agents/terminalQuestion.ts';
import { CliError } from '../cliError.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { runAction } from '../runAction.ts';
import { formatTable } from '../text/table.ts';
import { toPlainCell } from '../text/plainCell.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';
import { createStartError, reportTransfer } from '../transfers/transferStart.ts';

/** A step of a person. */
type PlanAction = (session: CliSession, agents: SharedAgentContext, id: string) => Promise<ExitCode>;

const place = 'terminal';

/** Adds `plans`, by which a person decides about the transfers that agents propose. */
export function addPlansCommand(program: Command): void {
  const plans = program.command('plans').description('list the transfers that agents propose, and decide about them');
  plans
    .command('list', { isDefault: true })
    .description('list the plans of the last day')
    .action((_, command: Command) => run(command, '', listPlans));
  const add = (name: string, description: string, action: PlanAction): unknown =>
    plans
      .command(name)
      .description(description)
      .argument('<plan>', 'the ID of the plan')
      .action((id: string, _, command: Command) => run(command, id, action));
  add('show', 'print a plan', showPlan);
  add('confirm', 'print a plan, and start its transfer after you have typed the number of files', confirmPlan);
  add('decline', 'decline a plan', declinePlan);
}

async function run(command: Command, id: string, action: PlanAction): Promise<void> {
  await runAction(command, (context) =>
    CliSession.run(context, async (session) => {
      const note = (message: string): void => context.output.note(message);
      const drop = (): void => undefined;
      const log = createRedactingLog({ trace: drop, debug: drop, info: drop, warn: note, error: note });
      return await action(session, createAgentContext(session, log), id).catch(rethrow);
    }),
  );
}

const exitCodes: Partial<Readonly<Record<AgentErrorCode, ExitCode>>> = {
  ...{ notFound: exitCode.notFound, notConnected: exitCode.connection, planElsewhere: exitCode.connection },
};

function rethrow(error: unknown): never {
  if (!(error instanceof AgentError)) throw error;
  const cause = typeof error.reason === 'string' ? ` ${error.reason}` : '';
  throw new CliError(`${error.message}${cause}`, exitCodes[error.code] ?? exitCode.failed);
}

async function listPlans({ context }: CliSession, { plans }: SharedAgentContext): Promise<ExitCode> {
  const saved = await plans.list();
  context.output.print({ plans: saved.map(toPlanDocument) }, () => formatTable(planColumns, saved));
  return exitCode.done;
}

async function showPlan({ context }: CliSession, agents: SharedAgentContext, id: string): Promise<ExitCode> {
  const saved = await requirePlan(agents, id);
  context.output.print(toPlanDocument(saved), () => `${formatPlanSummary(saved.plan)}State: ${saved.state.kind}\n`);
  return exitCode.done;
}

async function confirmPlan(session: CliSession, agents: SharedAgentContext, id: string): Promise<ExitCode> {
  const { plan, state } = await requirePlan(agents, id);
  const decided = describeDecided(state);
  if (decided !== undefined) throw new CliError(decided);
  await requireSubmissionAllowed(agents);
  const count = String(plan.files.length);
  const { context } = session;
  context.output.note(formatPlanSummary(plan));
  const terminal = { input: process.stdin, output: process.stderr };
  const question = `Type the number of files (${count}) to start the transfer: `;
  if (!(await askToType(terminal, question, count, context.signal))) throw new CliError('Nothing was sent.');
  await loadTransfers(session);
  const transfer = await submitPlan(agents, plan, place);
  if (transfer.id === undefined) throw createStartError(transfer);
  return await reportTransfer(session, transfer.key, {});
}

async function declinePlan({ context }: CliSession, { plans }: SharedAgentContext, id: string): Promise<ExitCode> {
  const { id: plan } = await plans.decide(id, 'declined', place);
  context.output.print({ plan, state: 'declined' }, () => `Declined plan ${plan}.\n`);
  return exitCode.done;
}

async function requirePlan({ plans }: SharedAgentContext, id: string): Promise<SavedPlan> {
  const saved = await plans.get(id);
  if (saved) return saved;
  throw new CliError(`There is no plan ${toPlainCell(id)}.`, exitCode.notFound);
}
