import { createInterface } from 'node:readline/promises';
import { AgentError, type AgentErrorCode } from '../../core/agents/agentError.ts';
import { requireSubmissionAllowed, submitPlan, withFilesUnderWay } from '../../core/agents/planSubmission.ts';
import {
  findPlannedOmission,
  type PlannedLicense,
  type PlanState,
  type SavedPlan,
  type TransferPlan,
} from '../../core/agents/transferPlan.ts';
import { sumUpFiles } from '../../core/recipes/recipeFile.ts';
import { createRedactingLog } from '../../core/util/logger.ts';
import { collapseBlanks } from '../../core/util/visibleText.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { CliError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { formatBytes, formatCount, toPlainCell, type Column } from '../output.ts';
import { loadTransfers } from '../transfers/transferLookup.ts';
import { describeListing, english } from '../text/sentences.ts';
import { createStartError, nothingSent, reportTransfer } from '../transfers/transferStart.ts';
import { createAgentContext, type SharedAgentContext } from './cliAgentContext.ts';

const exampleCount = 10;

/** Maximum number of licenses in a summary. Limited so that the summary fits in a terminal. */
const maxLicenses = 10;

/** The columns of a table of plans. */
const planColumns: readonly Column<SavedPlan>[] = [
  { title: 'PLAN', getText: ({ plan }) => plan.id },
  { title: 'STATE', getText: ({ state }) => state.kind },
  { title: 'FILES', isNumber: true, getText: ({ plan }) => String(plan.files.length) },
  { title: 'SOURCE', getText: ({ plan }) => plan.source },
  { title: 'DESTINATION', getText: ({ plan }) => plan.destination },
  { title: 'AGENT', getText: ({ plan }) => plan.requestedBy },
];

function toPlanJson({ plan, state }: SavedPlan): object {
  const { createdAt, expiresAt, ...facts } = plan;
  return {
    ...facts,
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
    state: state.kind,
    ...('by' in state && { decidedBy: state.by, decidedAt: toTime(state.at) }),
    ...('transferKey' in state && { transferKey: state.transferKey }),
  };
}

/**
 * Describes a plan for the person who confirms or declines it. Text from servers and agents can't imitate other lines,
 * because line breaks, control characters and runs of spaces become single spaces.
 */
export function formatPlanSummary(plan: TransferPlan): string {
  const lines = [
    `${plan.requestedBy} proposes to transfer ${describeFiles(plan)}`,
    `from ${plan.source} to ${plan.destination}`,
    `on ${plan.service.name} (${plan.service.address}) as ${plan.service.orcid}.`,
    ...describeOmission(plan),
    ...describeCopies(plan),
    plan.freeBytes === undefined ? 'Free space: unknown.' : `Free space: ${formatBytes(plan.freeBytes)}.`,
    ...describeLicenses(plan),
    ...describeTexts(plan),
    ...plan.files.slice(0, exampleCount).map(({ path }) => `  ${path}`),
    ...(plan.files.length > exampleCount ? [`  and ${plan.files.length - exampleCount} more`] : []),
  ];
  return lines.map((line) => `${line.startsWith('  ') ? '  ' : ''}${collapseBlanks(toPlainCell(line))}\n`).join('');
}

/** Formats the number and the total size of a plan's files: `3 files (1.5 MB)`. */
function describeFiles({ files }: TransferPlan): string {
  const { bytes, unknownCount } = sumUpFiles(files);
  const unknown = unknownCount === 0 ? '' : `, ${formatCount(unknownCount, 'file')} of unknown size`;
  return `${formatCount(files.length, 'file')} (${formatBytes(bytes)}${unknown})`;
}

/** Describes the earlier decision on a plan, or its expiry; undefined if it can still be decided. */
export function describeDecided({ kind }: PlanState): string | undefined {
  if (kind === 'proposed') return undefined;
  return kind === 'expired' ? 'The plan has expired.' : `The plan was already ${kind}.`;
}

function describeOmission(plan: TransferPlan): readonly string[] {
  const omission = findPlannedOmission(plan);
  const leftOut = omission && `${omission.place}: ${describeLeftOut(english, omission.leftOut, String)}.`;
  return [leftOut ?? [], (plan.listing && describeListing(plan.listing)) ?? []].flat();
}

function describeCopies({ copies }: TransferPlan): readonly string[] {
  const { atDestination, isComplete, received, underWay } = copies;
  const least = isComplete ? '' : 'at least ';
  const isUnknown = !isComplete && atDestination === 0;
  return [
    `Already at the destination: ${isUnknown ? 'unknown' : `${least}${formatCount(atDestination, 'file')}`}.`,
    ...(received > 0 ? [`Transferred earlier: ${formatCount(received, 'file')}.`] : []),
    ...(underWay > 0 ? [`In a running transfer: ${formatCount(underWay, 'file')}.`] : []),
  ];
}

function describeLicenses({ licenses }: TransferPlan): readonly string[] {
  const rest = licenses.slice(maxLicenses);
  const restrictedCount = rest.filter(({ forbidsSharing }) => forbidsSharing).length;
  const verb = restrictedCount === 1 ? 'forbids' : 'forbid';
  const restricted = restrictedCount > 0 ? `, of which ${restrictedCount} ${verb} redistribution` : '';
  return [
    ...licenses.slice(0, maxLicenses).map(describeLicense),
    ...(rest.length > 0 ? [`And ${formatCount(rest.length, 'other license')}${restricted}.`] : []),
  ];
}

function describeLicense({ name = 'not stated', fileCount, forbidsSharing }: PlannedLicense): string {
  return `License ${name}: ${formatCount(fileCount, 'file')}${forbidsSharing ? '. It forbids redistribution' : ''}.`;
}

function describeTexts({ description, instructions, textOrigin }: TransferPlan): readonly string[] {
  const origin = textOrigin === 'server' ? ' (may have been copied from a server)' : '';
  return [
    ...(description === undefined ? [] : [`Description${origin}: ${description}`]),
    ...(instructions ? [`Instructions${origin}: ${JSON.stringify(instructions)}`] : []),
  ];
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}

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
  context.output.printTable({ plans: saved.map(toPlanJson) }, table);
  return exitCode.done;
}

async function showPlan({ context }: CliSession, agents: SharedAgentContext, id: string): Promise<ExitCode> {
  const saved = await agents.plans.require(id);
  context.output.print(toPlanJson(saved), () => `${formatPlanSummary(saved.plan)}State: ${saved.state.kind}\n`);
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
