import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createTransferFile } from '../../core/transfers/createTransferFile.ts';
import { parseIdLines } from '../../core/model/idList.ts';
import type { TransferOrder } from '../../core/model/transferModel.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { type JsonObject, parseJsonObject } from '../../core/util/json.ts';
import { describeReadOnlyDatabase, toSentence } from '../../core/util/sharedTexts.ts';
import { CliError, createUsageError, type ExitCode } from '../cliError.ts';
import { type CommandContext, runAction } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { optionTexts, parseCount } from '../options.ts';
import { toPlainCell } from '../output.ts';
import { reportTransfer, requireWaitForTimeout, submitTransfer } from '../transfers/transferStart.ts';
import { fetchFiles, requireAll } from './describeCommand.ts';

interface TransferFlags {
  readonly idsFile?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly again?: boolean;
  readonly wait?: boolean;
  readonly timeout?: number;
}

/** The arguments and options of `transfer`. */
interface TransferRequest {
  readonly source: string;
  readonly destination: string;
  readonly ids: readonly string[];
  readonly flags: TransferFlags;
}

/** Adds `transfer`, which starts a file transfer. */
export function addTransferCommand(program: Command): void {
  program
    .command('transfer')
    .description('start a transfer of files, and print its ID')
    .argument('<source>', 'the name or ID of the database that has the files')
    .argument('<destination>', 'the name or ID of the database that receives them')
    .argument('[id...]', optionTexts.fileIds)
    .option('--ids-file <file>', 'a file with one ID per line; - for standard input')
    .option('--description <markdown>', 'a description of the transfer')
    .option('--instructions <file>', 'a JSON file with instructions for the destination')
    .option('--again', optionTexts.again)
    .option('--wait', optionTexts.wait)
    .option('--timeout <seconds>', optionTexts.timeout, parseCount)
    .action((source: string, destination: string, ids: readonly string[], flags: TransferFlags, command: Command) =>
      runAction(command, (context) => transferFiles(context, { source, destination, ids, flags })),
    );
}

async function transferFiles(context: CommandContext, request: TransferRequest): Promise<ExitCode> {
  const { flags } = request;
  requireWaitForTimeout(flags);
  const ids = [...request.ids, ...parseIdLines(await readIds(flags.idsFile))];
  const instructions = await readInstructions(flags.instructions);
  return await CliSession.run(context, async (session) => {
    const order = await createOrder(session, { ...request, ids });
    const { description } = flags;
    const details = { ...(description !== undefined && { description }), ...(instructions && { instructions }) };
    const { key } = await submitTransfer(session, { ...order, ...details }, flags.again);
    return await reportTransfer(session, key, flags);
  });
}

async function createOrder(session: CliSession, { source, destination, ids }: TransferRequest): Promise<TransferOrder> {
  const { connection } = await session.connect();
  const [from, to] = [session.findDatabase(source), session.findDatabase(destination)];
  if (from === to) throw createUsageError('The source and the destination are the same database.');
  if (to.readOnly) throw new CliError(toSentence(describeReadOnlyDatabase(toPlainCell(to.name))));
  const described = await fetchFiles(session, connection.id, from.name, ids);
  requireAll(from.name, described);
  const orcid = session.getOrcid(connection.id);
  const files = described.files.map((file) => createTransferFile(file, file));
  return { connectionId: connection.id, orcid, source: from.name, destination: to.name, files };
}

async function readIds(file: string | undefined): Promise<string> {
  if (file === undefined) return '';
  if (file === '-') return await text(process.stdin);
  return await readTextFile(file);
}

async function readInstructions(file: string | undefined): Promise<JsonObject | undefined> {
  if (file === undefined) return undefined;
  const instructions = parseJsonObject(await readTextFile(file));
  if (!instructions) throw createUsageError(`${toPlainCell(file)} doesn't contain a JSON object.`);
  return instructions;
}

async function readTextFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw createUsageError(`Couldn't read ${toPlainCell(file)} (${getErrorCode(error)}).`);
  }
}
