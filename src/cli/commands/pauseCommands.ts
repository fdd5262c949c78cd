import type { Command } from 'commander';
import { CliError, createRequestError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { optionTexts } from '../options.ts';
import { describeState, getTransferId, toTransferDocument } from '../text/transferText.ts';
import { connectFor, findTransfers, requireChangeable } from '../transfers/transferLookup.ts';
import { requireTransfer } from '../transfers/transferStart.ts';

type PauseChange = 'pause' | 'resume';

/** Adds `pause`, which pauses a transfer of a local service. */
export function addPauseCommand(program: Command): void {
  addChangeCommand(program, 'pause', 'pause a transfer of a local service until it is resumed');
}

/** Adds `resume`, which continues a paused transfer. */
export function addResumeCommand(program: Command): void {
  addChangeCommand(program, 'resume', 'continue a paused transfer');
}

function addChangeCommand(program: Command, change: PauseChange, description: string): void {
  program
    .command(change)
    .description(description)
    .argument('<transfer>', optionTexts.transferId)
    .action((name: string, _flags: object, command: Command) =>
      runAction(command, (context) => changePause(context, name, change)),
    );
}

async function changePause(context: CommandContext, name: string, change: PauseChange): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const [found] = await findTransfers(session, [name]);
    if (!found) return exitCode.notFound;
    requireChangeable(found, `${change}d`);
    const id = getTransferId(found);
    const { service } = await connectFor(session, found);
    if (!service.hasFullPages)
      throw new CliError(`This service can't ${change} transfer ${id}: only a local service can.`);
    const reason = await session.explorer.transferFlow.changePause(found.key, change, context.signal);
    if (reason) throw createRequestError(`Couldn't ${change} transfer ${id}`, reason);
    const transfer = requireTransfer(session.explorer, found.key);
    context.output.print({ transfer: toTransferDocument(transfer) }, () => `${id}: ${describeState(transfer)}\n`);
    return exitCode.done;
  });
}
