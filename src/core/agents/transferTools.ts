import * as z from 'zod/mini';
import { toTrustedState } from '../transfers/transferFlow.ts';
import type { Reason } from '../model/reason.ts';
import { hasEnded, isPaused, isPausedByUser, toTrustedStatus, type Transfer } from '../model/transferModel.ts';
import { nameAmounts } from '../model/transferExport.ts';
import { getOutcome, isUnsent } from '../model/transferOutcome.ts';
import { settlesWithin } from '../util/clock.ts';
import type { JsonObject } from '../util/json.ts';
import { Lifetime } from '../util/lifetime.ts';
import { unconfirmedCancellation } from '../util/sharedTexts.ts';
import { parseUuid } from '../util/uuid.ts';
import type { AgentContext, ChangeQuestion } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { createRows, defineTool, limitedText, toDataLine } from './agentTool.ts';
import { requireProposed } from './planStore.ts';
import { requireSubmissionAllowed, submitPlan, withFilesUnderWay } from './planSubmission.ts';
import { toPlanAnswer } from './planTransferTool.ts';
import { findPlanTransfer } from './transferPlan.ts';

/** Asks a person to confirm a plan, and submits the plan if they do. */
export const submitTransferTool = defineTool({
  name: 'submit_transfer',
  title: 'Submit a Planned Transfer',
  description:
    'Asks the user to confirm a plan and then submits it, once. Takes only a planId from plan_transfer. If the ' +
    'answer is "waiting", the user confirms it elsewhere: do not retry, check with transfer_status. If declined, stop.',
  isReadOnly: false,
  input: z.strictObject({ planId: limitedText(100) }),
  run: async (context, { planId }, signal) => {
    await requireSubmissionAllowed(context);
    const saved = await context.plans.require(planId);
    requireProposed(saved);
    const { plan } = saved;
    const decision = await context.confirm({ kind: 'submit', plan: withFilesUnderWay(context, plan) }, { signal });
    if (decision.kind === 'waiting') return { state: 'waiting for user confirmation', planId, hint: decision.hint };
    if (decision.kind === 'yes') {
      return toTransferAnswer(await submitPlan(context, plan, decision.by), context.describeReason);
    }
    await context.plans.decide(planId, 'declined', decision.by);
    throw new AgentError('declined', "The user declined. Nothing was submitted; don't plan it again unless asked.");
  },
});

/** Maximum time to wait for a new status, in milliseconds. After that, the last known status is returned. */
const maxWaitMs = 5_000;

/** Returns the status of a transfer or a plan or, without an ID, lists the latest transfers. */
export const transferStatusTool = defineTool({
  name: 'transfer_status',
  title: 'Check Transfers',
  description:
    'Returns the status of a transfer, by its ID, or of a plan, by its planId. Without an ID: the latest transfers of ' +
    'the user. "not confirmed" and "unknown" mean exactly that; do not report them as success or failure.',
  isReadOnly: true,
  input: z.strictObject({ id: z.optional(limitedText(100)) }),
  run: async (context, { id }, signal) => {
    await context.services.transferFlow.loadFinished();
    if (id === undefined) return listTransfers(context);
    const saved = await context.plans.get(id);
    const planned = saved && findPlanTransfer(context.services, saved.plan.id);
    if (saved && !planned) return toPlanAnswer(saved.plan, saved.state);
    const known = planned ?? findTransfer(context, id);
    if (known) return toTransferAnswer(await refresh(context, known), context.describeReason);
    return await lookUp(context, id, signal);
  },
});

function findTransfer({ services }: AgentContext, id: string): Transfer | undefined {
  const wanted = parseUuid(id) ?? id;
  return services.transferStore.getAll().find((one) => one.id === wanted || one.key === wanted);
}

function listTransfers({ services }: AgentContext): JsonObject {
  const rows = services.transferStore.getAll().map(toTransferRow);
  return createRows('transfers', rows, 'More are in the Transfers view and in "data-transfer history".');
}

/**
 * Requests the current status of a running transfer, and waits a few seconds for it. Returns the transfer, with its
 * last known status if no new one arrives.
 */
async function refresh({ services, clock, open }: AgentContext, transfer: Transfer): Promise<Transfer> {
  const { transferStore, monitor } = services;
  const { key, order, state } = transfer;
  if (hasEnded(state) || state === 'notConfirmed') return transfer;
  const isOpen = await open(order.connectionId).then(() => true, isExpected);
  if (!isOpen) return transfer;
  const listening = new Lifetime();
  const isNew = new Promise<void>((resolve) => {
    const resolveIfNew = (keys: readonly string[]): void => {
      if (keys.includes(key) && transferStore.get(key)?.askedAt !== transfer.askedAt) resolve();
    };
    listening.track(transferStore.onDidChange(resolveIfNew));
  });
  monitor.pollNow(key);
  await settlesWithin(clock, maxWaitMs, isNew);
  listening.dispose();
  return transferStore.get(key) ?? transfer;
}

function isExpected(error: unknown): false {
  if (error instanceof AgentError) return false;
  throw error;
}

/** Requests the status of a transfer that was started elsewhere. Doesn't record the transfer. */
async function lookUp(context: AgentContext, id: string, signal: AbortSignal): Promise<JsonObject> {
  const uuid = parseUuid(id);
  if (uuid === undefined) throw new AgentError('notFound', 'There is no such transfer or plan.');
  const { connection } = await context.connect();
  const result = await context.services.trackFlow.lookUp(connection.id, uuid, signal);
  if (result.kind === 'known') return toTransferAnswer(result.transfer, context.describeReason);
  if (result.kind === 'failed' && result.reason.kind === 'notFound')
    throw new AgentError('notFound', "This transfer is neither in the user's records nor known to the service.");
  if (result.kind === 'failed')
    throw new AgentError('requestFailed', "The status couldn't be requested.", result.reason);
  const now = context.clock.now();
  const order = { connectionId: connection.id, orcid: '', source: '', destination: '', files: [] };
  const [state, status] = [toTrustedState(result.status), toTrustedStatus(result.status)];
  return toTransferAnswer(
    {
      key: uuid,
      id: uuid,
      order,
      createdAt: now,
      state,
      changes: [{ state, at: now }],
      status,
      askedAt: now,
      startedElsewhere: true,
    },
    context.describeReason,
  );
}

/** A change to a transfer that a person confirms, and what the agent learns if it isn't made. */
interface TransferChange {
  readonly kind: ChangeQuestion['kind'];
  readonly title: string;
  readonly effect: string;
  readonly declined: string;
  readonly failed: string;
}

const continues = 'The user declined. The transfer continues.';

function defineChangeTool(change: TransferChange) {
  const { kind, title, effect } = change;
  return defineTool({
    name: `${kind}_transfer`,
    title,
    description: `Asks the user, and then ${effect} by its ID.`,
    isReadOnly: false,
    input: z.strictObject({ id: limitedText(100) }),
    run: async (context, { id }, signal) => await changeTransfer(context, id, change, signal),
  });
}

/** Asks a person for confirmation, and then requests the cancellation of a transfer. */
export const cancelTransferTool = defineChangeTool({
  kind: 'cancel',
  title: 'Cancel a Transfer',
  effect: 'requests the cancellation of a running transfer',
  declined: continues,
  failed: unconfirmedCancellation,
});

/** Asks a person for confirmation, and then pauses a transfer until it is resumed (D70: paused transfers). */
export const pauseTransferTool = defineChangeTool({
  kind: 'pause',
  title: 'Pause a Running Transfer',
  effect: 'pauses a running transfer of a local service',
  declined: continues,
  failed: "The transfer couldn't be paused",
});

/** Asks a person for confirmation, and then resumes a paused transfer (D70: paused transfers). */
export const resumeTransferTool = defineChangeTool({
  kind: 'resume',
  title: 'Resume a Transfer',
  effect: 'resumes a paused transfer',
  declined: 'The user declined. The transfer stays paused.',
  failed: "The transfer couldn't be resumed",
});

async function changeTransfer(
  context: AgentContext,
  id: string,
  { kind, declined, failed }: TransferChange,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { transferFlow, transferStore } = context.services;
  await transferFlow.loadFinished();
  const known = findTransfer(context, id);
  if (!known) throw new AgentError('notFound', "There is no such transfer in the user's records.");
  // Somebody may have paused or resumed it since the last status.
  const transfer = kind === 'cancel' ? known : await refresh(context, known);
  const note = findNeedlessness(transfer, kind);
  if (note !== undefined) return { ...toTransferAnswer(transfer, context.describeReason), note };
  if (transfer.id === undefined) throw new AgentError('cannotTransfer', "The service hasn't returned an ID for it.");
  if (kind !== 'cancel') await requirePauses(context, transfer);
  const decision = await context.confirm({ kind, transfer }, { signal });
  if (decision.kind === 'waiting') return { state: 'waiting for user confirmation', hint: decision.hint };
  if (decision.kind === 'no') throw new AgentError('declined', declined);
  await context.open(transfer.order.connectionId);
  const { key } = transfer;
  const reason = await (kind === 'cancel' ? transferFlow.cancel(key) : transferFlow.changePause(key, kind));
  if (reason) throw new AgentError('requestFailed', `${failed}.`, reason);
  return toTransferAnswer(transferStore.get(key) ?? transfer, context.describeReason);
}

function findNeedlessness(transfer: Transfer, kind: ChangeQuestion['kind']): string | undefined {
  if (hasEnded(transfer.state)) return 'It has already ended.';
  if (kind === 'pause' && isPausedByUser(transfer)) return 'It is already paused.';
  if (kind !== 'cancel' && isPaused(transfer))
    return 'Its local service is stopped. It continues when the service starts.';
  return kind === 'resume' && transfer.status?.isPaused === false ? "It isn't paused." : undefined;
}

async function requirePauses(context: AgentContext, { order }: Transfer): Promise<void> {
  const { service } = await context.open(order.connectionId);
  if (!service.hasFullPages) throw new AgentError('cannotTransfer', 'Only a local service can pause transfers.');
}

/**
 * Returns a transfer as the agent sees it. Reports unknown counts, start times and end times as `unknown`.
 * `describeReason` words the reason why the transfer wasn't started.
 */
export function toTransferAnswer(transfer: Transfer, describeReason: (reason: Reason) => string): JsonObject {
  const { id, key, order, state, askedAt, status, problem } = transfer;
  return {
    transferId: id ?? 'none',
    ...(id === undefined && { record: key }),
    state: getWord(transfer),
    files: 'unknown',
    transferredFiles: 'unknown',
    ...nameAmounts(transfer),
    startedAt: getStart(transfer),
    ...(hasEnded(state) ? { endedAt: getEnd(transfer) } : { checkedAt: toTime(askedAt) }),
    data: {
      source: toDataLine(order.source),
      destination: toDataLine(order.destination),
      ...(status?.message !== undefined && { message: toDataLine(status.message) }),
      ...(id === undefined && problem && { reason: toDataLine(describeReason(problem)) }),
    },
    ...createNote(transfer),
  };
}

/** Returns a transfer as a row of a list. The list belongs under `data`. */
export function toTransferRow(transfer: Transfer): JsonObject {
  const { id, key, order } = transfer;
  const destination = toDataLine(order.destination);
  return { transferId: id ?? key, state: getWord(transfer), destination, startedAt: getStart(transfer) };
}

/** Returns the time of the submission; `unknown` for a transfer that was started elsewhere. */
function getStart({ createdAt, startedElsewhere }: Transfer): string {
  return startedElsewhere ? 'unknown' : toTime(createdAt);
}

/** Returns the time at which the end was detected; `unknown` for a transfer that was found after it had ended. */
function getEnd({ changes, startedElsewhere }: Transfer): string {
  return startedElsewhere && changes.length === 1 ? 'unknown' : toTime(changes.at(-1)?.at);
}

function getWord(transfer: Transfer): string {
  const { state, cancelAcceptedAt, cancelUnheeded } = transfer;
  if (state === 'notConfirmed') return 'not confirmed';
  if (isUnsent(transfer)) return 'not sent';
  if (isPaused(transfer) || isPausedByUser(transfer)) return 'paused';
  if (!hasEnded(state) && cancelAcceptedAt !== undefined && !cancelUnheeded) return 'canceling';
  return words[getOutcome(transfer) ?? state] ?? state;
}

const words: Readonly<Record<string, string>> = {
  complete: 'succeeded',
  partial: 'incomplete',
  cancelled: 'canceled',
  submitting: 'being submitted',
  expired: 'ended; the service no longer knows it',
  running: 'running',
  refused: 'not started',
};

function createNote(transfer: Transfer): JsonObject {
  const { state, cancelUnheeded, requestedBy } = transfer;
  if (isUnsent(transfer) && requestedBy)
    return {
      note: 'Nothing was sent. After fixing the cause, call submit_transfer again; if the plan was decided or has expired, plan the transfer again.',
    };
  if (state === 'notConfirmed')
    return {
      note: "It isn't known whether the service started the transfer. Never submit it again; the user has to check.",
    };
  return cancelUnheeded ? { note: 'The service accepted a cancellation, but still reports the same status.' } : {};
}

function toTime(at: number | undefined): string {
  return at === undefined ? 'never' : new Date(at).toISOString();
}
