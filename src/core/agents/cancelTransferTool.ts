import * as z from 'zod/mini';
import { hasEnded } from '../model/transferModel.ts';
import { AgentError } from './agentError.ts';
import { defineTool } from './agentTool.ts';
import { limitedText } from './inputCheck.ts';
import { toTransferAnswer } from './transferAnswer.ts';
import { findTransfer } from './transferStatusTool.ts';

/** Asks a person for confirmation, and then requests the cancellation of a transfer. */
export const cancelTransferTool = defineTool({
  name: 'cancel_transfer',
  title: 'Cancel a Transfer',
  description: 'Asks the user, and then requests the cancellation of a running transfer by its ID.',
  isReadOnly: false,
  input: z.strictObject({ id: limitedText(100) }),
  run: async (context, { id }, signal) => {
    const { transferFlow, transferStore } = context.services;
    await transferFlow.loadFinished();
    const transfer = findTransfer(context, id);
    if (!transfer) throw new AgentError('notFound', "There is no such transfer in the user's records.");
    if (hasEnded(transfer.state))
      return { ...toTransferAnswer(transfer, context.describeReason), note: 'It has already ended.' };
    if (transfer.id === undefined) throw new AgentError('cannotTransfer', "The service hasn't returned an ID for it.");
    const decision = await context.confirm({ kind: 'cancel', transfer }, { signal });
    if (decision.kind === 'waiting') return { state: 'waiting for user confirmation', hint: decision.hint };
    if (decision.kind === 'no') throw new AgentError('declined', 'The user declined. The transfer continues.');
    await context.open(transfer.order.connectionId);
    const reason = await transferFlow.cancel(transfer.key);
    if (reason) throw new AgentError('requestFailed', "The cancellation wasn't confirmed.", reason);
    return toTransferAnswer(transferStore.get(transfer.key) ?? transfer, context.describeReason);
  },
});
