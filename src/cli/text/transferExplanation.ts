import { isPaused, type Transfer } from '../../core/model/transferModel.ts';
import { getOutcome, getProgress, type TransferOutcome } from '../../core/model/transferOutcome.ts';
import { formatCount } from './amounts.ts';
import { toPlainCell } from './plainCell.ts';
import { describeReason, describeUnsentReason } from './reasonText.ts';
import { describeProgress, getServerMessage, getTransferId } from './transferDocument.ts';

/** Why a transfer hasn't succeeded, and what the user can do. Both are plain text on one line. */
interface Explanation {
  /** A clause without a period; absent if unknown. */
  readonly reason?: string | undefined;
  /** One or more sentences. */
  readonly remedy?: string;
}

/**
 * Describes a transfer's progress in one line: `Transfer 1234: failed, 0/1 files: the disk is full. Fix the cause, …`.
 * Adds the reason and the next step unless the transfer has succeeded or is running without a problem.
 */
export function describeResult(transfer: Transfer): string {
  const { reason, remedy } = explain(transfer);
  const clauses = [describeProgress(transfer), ...(reason === undefined ? [] : [reason])];
  return [`Transfer ${getTransferId(transfer)}: ${clauses.join(': ')}.`, ...(remedy ? [remedy] : [])].join(' ');
}

/** Returns the lines that say why transfers haven't succeeded, one for each transfer of which this is known. */
export function explainTransfers(transfers: readonly Transfer[]): readonly string[] {
  return transfers.filter((one) => Object.keys(explain(one)).length > 0).map(describeResult);
}

/** Maximum length of the reason for the end of a transfer, which may name several files. */
const maxReasonLength = 1000;

const startAgain = 'Fix the cause, then start the transfer again.';

function explain(transfer: Transfer): Explanation {
  const outcome = getOutcome(transfer);
  if (outcome === undefined) return explainUnfinished(transfer);
  return outcomes[outcome]?.(transfer) ?? {};
}

const outcomes: Readonly<Partial<Record<TransferOutcome, (transfer: Transfer) => Explanation>>> = {
  partial: explainPartial,
  failed: (transfer) => ({
    reason: getServerMessage(transfer, maxReasonLength) ?? 'the service gave no reason',
    remedy: startAgain,
  }),
  cancelled: (transfer) => ({
    reason: getServerMessage(transfer, maxReasonLength),
    remedy: 'If you still need the files, start the transfer again.',
  }),
  refused: explainRefusal,
  expired: () => ({
    reason: 'the service no longer has a record of it',
    remedy: 'Check the destination before you start the transfer again.',
  }),
};

function explainPartial(transfer: Transfer): Explanation {
  const { moved = 0, total = 0 } = getProgress(transfer);
  const missed = total - moved;
  const reason =
    missed > 0
      ? `${formatCount(missed, 'file')} ${missed === 1 ? "wasn't" : "weren't"} transferred, although the service reported success`
      : 'no files were transferred';
  const [object, ids] = missed === 1 ? ['this file', 'its ID'] : ['some of the files', 'their IDs'];
  return { reason, remedy: `The service may not recognize ${object}. Check ${ids} at the source.` };
}

function explainRefusal({ problem, replacedBy }: Transfer): Explanation {
  if (replacedBy !== undefined) return { reason: `it never started, and was submitted again as ${replacedBy}` };
  if (problem?.kind === 'notSent' && problem.code === undefined)
    return { reason: describeReason(problem), remedy: 'Start the transfer again.' };
  return { reason: problem && describeUnsentReason(problem), remedy: startAgain };
}

function explainUnfinished(transfer: Transfer): Explanation {
  const { state, problem, cancelUnheeded } = transfer;
  if (state === 'notConfirmed') return explainUnconfirmed(transfer);
  if (isPaused(transfer)) {
    return { reason: describeReason({ kind: 'serviceStopped' }), remedy: 'It resumes when you start the service.' };
  }
  if (cancelUnheeded) return explainIgnoredCancel(transfer);
  const suspension = state === 'inactive' ? getServerMessage(transfer) : undefined;
  if (suspension !== undefined) return { reason: suspension };
  return problem ? { reason: `couldn't update the status: ${describeReason(problem)}` } : {};
}

function explainUnconfirmed({ problem }: Transfer): Explanation {
  const cause = problem ? `: ${describeReason(problem)}` : '';
  return {
    reason: `it's unclear whether the service started it${cause}`,
    remedy: "It won't be sent again. Check the destination for a folder whose name is dts- followed by an ID.",
  };
}

function explainIgnoredCancel(transfer: Transfer): Explanation {
  return {
    reason: `cancellation accepted, but the server still reports ${getReportedState(transfer)}`,
    remedy: `The service may drop the transfer or continue it. To check: data-transfer status ${getTransferId(transfer)}`,
  };
}

function getReportedState({ state, status }: Transfer): string {
  return (state === 'running' && toPlainCell(status?.status ?? '')) || state;
}
