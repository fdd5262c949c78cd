import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import { sumUpFiles, toTransferFile } from '../../core/recipes/recipeFile.ts';
import { createTransferFile } from '../../core/transfers/createTransferFile.ts';
import type { StoreListing } from '../../core/model/databaseModel.ts';
import { parseIdLines } from '../../core/model/idList.ts';
import { withFollowUp, type TransferFile, type TransferOrder } from '../../core/model/transferModel.ts';
import { TableError } from '../../core/tables/tableError.ts';
import { decodeTableText, detectFormat } from '../../core/tables/tableFormat.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { folderField, folderNameRule, isFolderName } from '../../core/util/folderName.ts';
import { type JsonObject, parseJsonObject } from '../../core/util/json.ts';
import type { LeftOutCounts } from '../../core/util/leftOut.ts';
import { findNestedFiles } from '../../core/util/nestedFiles.ts';
import { describeReadOnlyDatabase, toSentence } from '../../core/util/sharedTexts.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { describeNestedFiles } from '../../core/words/sharedSentences.ts';
import { describeTableError } from '../../core/words/tableSentences.ts';
import { CliError, createRequestError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import { type CommandContext, runAction } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { optionTexts, parseCount } from '../options.ts';
import { formatBytes, formatCount, toPlainCell } from '../output.ts';
import { english, noteListing, tableWording } from '../text/sentences.ts';
import {
  nothingSent,
  readFollowUpOption,
  reportTransfer,
  requireWaitForTimeout,
  submitTransfer,
} from '../transfers/transferStart.ts';
import { fetchFiles, requireAll } from './describeCommand.ts';

interface TransferFlags {
  readonly idsFile?: string;
  readonly folder?: string;
  readonly folderName?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly then?: string;
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
    .option('--folder <path>', 'instead of IDs: a folder, all files of which are transferred')
    .option('--folder-name <name>', 'a name for the new folder that the files get at the destination')
    .option('--description <markdown>', 'a description of the transfer')
    .option('--instructions <file>', 'a JSON file with instructions for the destination')
    .option('--then <file>', optionTexts.then)
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
  const ids = [...request.ids, ...(flags.idsFile === undefined ? [] : await readIds(flags.idsFile))];
  const instructions = await readInstructions(flags.instructions);
  requireFolderName(flags, instructions);
  if (flags.folder !== undefined && ids.length > 0) throw createUsageError('Give either IDs or --folder.');
  // The value of a variable that isn't set must not transfer everything.
  if (flags.folder === '') throw createUsageError('--folder is empty. "--folder /" transfers the whole database.');
  return await CliSession.run(context, async (session) => {
    const { order, folder } = await createOrder(session, { ...request, ids });
    const { description, folderName } = flags;
    const details = {
      ...(description !== undefined && { description }),
      ...(instructions && { instructions }),
      ...(folderName !== undefined && { folder: folderName }),
    };
    const complete = withFollowUp({ ...order, ...details }, readFollowUpOption(flags.then));
    const { key } = await submitTransfer(session, complete, flags.again);
    return await reportTransfer(session, key, flags, { folder });
  });
}

function requireFolderName({ folderName }: TransferFlags, instructions: JsonObject | undefined): void {
  if (folderName === undefined) return;
  if (!isFolderName(folderName)) throw createUsageError(`--folder-name ${folderNameRule}.`);
  if (instructions?.[folderField] !== undefined)
    throw createUsageError('Name the folder either with --folder-name or in the instructions, not with both.');
}

/** A folder that is transferred as a whole, as JSON (docs/command-line.md). */
interface FolderDocument {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly leftOut?: LeftOutCounts;
  readonly listing?: StoreListing;
}

interface PreparedOrder {
  readonly order: TransferOrder;
  readonly folder?: FolderDocument;
}

async function createOrder(session: CliSession, request: TransferRequest): Promise<PreparedOrder> {
  const { source, destination, ids, flags } = request;
  const opened = await session.connect();
  const { connection } = opened;
  const [from, to] = [session.findDatabase(source), session.findDatabase(destination)];
  if (from === to) throw createUsageError('The source and the destination are the same database.');
  if (to.readOnly) throw new CliError(toSentence(describeReadOnlyDatabase(toPlainCell(to.name))));
  const orcid = session.getOrcid(connection.id);
  const { files, ...found } =
    flags.folder === undefined
      ? { files: await findFiles(session, connection.id, from.name, ids) }
      : await findFolder(session, opened, from.name, flags.folder);
  const nested = findNestedFiles(files);
  if (nested) {
    const wording = { l10n: english, toPlainLine: toPlainCell };
    throw new CliError(`${nothingSent}. ${describeNestedFiles(wording, nested.outer.path, nested.inner.path)}`);
  }
  return { order: { connectionId: connection.id, orcid, source: from.name, destination: to.name, files }, ...found };
}

async function findFiles(
  session: CliSession,
  connectionId: string,
  database: string,
  ids: readonly string[],
): Promise<readonly TransferFile[]> {
  const described = await fetchFiles(session, connectionId, database, ids);
  noteListing(session.context.output, described.listing);
  requireAll(database, described);
  return described.files.map((file) => createTransferFile(file, file));
}

/** Finds all files of a folder, and notes what its listing leaves out. Throws an error unless all are found. */
async function findFolder(
  { context, explorer }: CliSession,
  connection: OpenConnection,
  database: string,
  path: string,
): Promise<{ readonly files: readonly TransferFile[]; readonly folder: FolderDocument }> {
  const { output, signal } = context;
  const onProgress = (count: number): void => output.showProgress(`Finding files: ${formatCount(count, 'file')}`);
  const recipe = { from: { database, folder: path } };
  const plan = await explorer.recipeFlow.plan(connection, { recipe, folder: '' }, { signal, onProgress });
  const { files, failure, isCut, leftOut, listing } = plan;
  if (failure?.kind === 'service') throw createRequestError(nothingSent, failure.reason);
  noteListing(output, listing);
  const left = leftOut ? `, ${describeLeftOut(english, leftOut, String)}` : '';
  if (files.length === 0)
    throw new CliError(`${nothingSent}. There are no files in ${toPlainCell(path)}${left}.`, exitCode.notFound);
  if (plan.isStalled) throw new CliError(`${nothingSent}. The search stopped: three pages in a row had no new files.`);
  if (isCut) throw new CliError(`${nothingSent}. ${toPlainCell(path)} has more files than a transfer can include.`);
  const { bytes } = sumUpFiles(files);
  output.note(`${toPlainCell(path)}: ${formatCount(files.length, 'file')}, ${formatBytes(bytes)}${left}.`);
  return {
    files: files.map(toTransferFile),
    folder: { path, files: files.length, bytes, ...(leftOut && { leftOut }), ...(listing && { listing }) },
  };
}

async function readIds(file: string): Promise<readonly string[]> {
  const bytes = file === '-' ? await buffer(process.stdin) : await readBytes(file);
  const name = file === '-' ? 'standard input' : toPlainCell(file);
  try {
    if (detectFormat(file, bytes) === 'text') return parseIdLines(decodeTableText(bytes));
  } catch (error) {
    if (error instanceof TableError) throw createUsageError(describeTableError(tableWording, error, name));
    throw error;
  }
  throw createUsageError(`${name} is a workbook. Save its IDs as text, one per line.`);
}

async function readInstructions(file: string | undefined): Promise<JsonObject | undefined> {
  if (file === undefined) return undefined;
  const instructions = parseJsonObject((await readBytes(file)).toString());
  if (!instructions) throw createUsageError(`${toPlainCell(file)} doesn't contain a JSON object.`);
  return instructions;
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw createUsageError(`Couldn't read ${toPlainCell(file)} (${getErrorCode(error)}).`);
  }
}
