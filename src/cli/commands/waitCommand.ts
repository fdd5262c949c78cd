import type { Command } from 'commander';
import { isFollowUpRunning } from '../../core/model/transferModel.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import type { ExitCode } from '../cliError.ts';
import { optionTexts, parseCount } from '../options.ts';
import { formatTable } from '../output.ts';
import { explainTransfers, toTransferDocument, transferColumns } from '../text/transferText.ts';
import { connectFor, findTransfers } from '../transfers/transferLookup.ts';
import { getEndCode, isSettled, requireTransfer, waitForEndAndFollowUp } from '../transfers/transferStart.ts';

interface WaitLimit {
  readonly timeout?: number;
}

/** Adds `wait`, which waits until transfers have ended. */
export function addWaitCommand(program: Command): void {
  program
    .command('wait')
    .description('wait until transfers, and programs that follow them, have ended; exits with 1 unless all succeeded')
    .argument('<transfer...>', optionTexts.transferIds)
    .option('--timeout <seconds>', 'the maximum time to wait', parseCount)
    .action((names: readonly string[], limit: WaitLimit, command: Command) =>
      runAction(command, (context) => waitForTransfers(context, names, limit)),
    );
}

async function waitForTransfers(
  context: CommandContext,
  names: readonly string[],
  { timeout }: WaitLimit,
): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const found = await findTransfers(session, names);
    const pending = found.filter((one) => !isSettled(one) || isFollowUpRunning(one));
    for (const transfer of pending) await connectFor(session, transfer);
    const keys = found.map(({ key }) => key);
    await waitForEndAndFollowUp(session, keys, timeout);
    const ended = keys.map((key) => requireTransfer(session.explorer, key));
    context.output.print({ transfers: ended.map(toTransferDocument) }, () => formatTable(transferColumns, ended));
    context.output.explain(explainTransfers(ended));
    return getEndCode(ended);
  });
}
