import * as z from 'zod/mini';
import { toTrustedState } from '../flows/trackFlow.ts';
import { hasEnded, toTrustedStatus, type Transfer } from '../model/transferModel.ts';
import { settlesWithin } from '../util/clock.ts';
import type { JsonObject } from '../util/json.ts';
import { Lifetime } from '../util/lifetime.ts';
import { parseUuid } from '../util/uuid.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { defineTool } from './agentTool.ts';
import { createRows } from './answerRows.ts';
import { limitedText } from './inputCheck.ts';
import { toPlanAnswer } from './planAnswer.ts';
import { findPlanTransfer } from './planSubmission.ts';
import { toTransferAnswer, toTransferRow } from './transferAnswer.ts';

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

/** Finds a recorded transfer by its ID or key. */
export function findTransfer({ services }: AgentContext, id: string): Transfer | undefined {
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
