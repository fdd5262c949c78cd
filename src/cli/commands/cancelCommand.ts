import type { Command } from 'commander';
import { hasEnded } from '../../core/model/transferModel.ts';
import { unconfirmedCancellation } from '../../core/util/sharedTexts.ts';
import { createRequestError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { optionTexts, parseCount } from '../options.ts';
import { describeState, explainTransfers, getTransferId, toTransferDocument } from '../text/transferText.ts';
import { connectFor, findTransfers, requireChangeable } from '../transfers/transferLookup.ts';
import {
  getEndCode,
  requireTransfer,
  requireWaitForTimeout,
  waitForEnd,
  type WaitFlags,
} from '../transfers/transferStart.ts';

/** Adds `cancel`, which cancels a transfer. */
export function addCancelCommand(program: Command): void {
  program
    .command('cancel')
    .description('cancel a transfer')
    .argument('<transfer>', optionTexts.transferId)
    .option(
      '--wait',
      'wait until the transfer has ended; exits with 1 unless it was canceled, 6 if the service ignores that',
    )
    .option('--timeout <seconds>', optionTexts.timeout, parseCount)
    .action((name: string, flags: WaitFlags, command: Command) =>
      runAction(command, (context) => cancelTransfer(context, name, flags)),
    );
}

async function cancelTransfer(context: CommandContext, name: string, flags: WaitFlags): Promise<ExitCode> {
  requireWaitForTimeout(flags);
  return await CliSession.run(context, async (session) => {
    const [transfer] = await findTransfers(session, [name]);
    if (!transfer) return exitCode.notFound;
    requireChangeable(transfer, 'canceled');
    await connectFor(session, transfer);
    const reason = await session.explorer.transferFlow.cancel(transfer.key, { signal: context.signal });
    if (reason) throw createRequestError(unconfirmedCancellation, reason);
    return await report(session, transfer.key, flags);
  });
}

async function report(session: CliSession, key: string, { wait, timeout }: WaitFlags): Promise<ExitCode> {
  if (wait) await waitForEnd(session, [key], timeout);
  const transfer = requireTransfer(session.explorer, key);
  const describe = (): string => `${getTransferId(transfer)}: ${describeState(transfer)}\n`;
  const { output } = session.context;
  output.print({ transfer: toTransferDocument(transfer) }, describe);
  if (!wait || transfer.state === 'cancelled') return exitCode.done;
  output.explain(explainTransfers([transfer]));
  return hasEnded(transfer.state) ? exitCode.failed : getEndCode([transfer]);
}
