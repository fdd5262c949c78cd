import { Option, type Command } from 'commander';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import type { StoreListing } from '../../core/model/databaseModel.ts';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import type { FileStaging, SearchQuery } from '../../core/model/searchModel.ts';
import type { Search } from '../../core/search/searchStore.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { CliError, createRequestError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession, type SearchSession } from '../connections/cliSession.ts';
import { optionTexts, parseCount, parseJsonOption } from '../options.ts';
import { formatBytes, formatCount, toPlainCell, type Column } from '../output.ts';
import { english, noteListing } from '../text/sentences.ts';

interface SearchFlags {
  readonly limit: number;
  readonly all?: boolean;
  readonly status?: FileStaging;
  readonly specific?: JsonObject;
  readonly folder?: string;
}

const defaultLimit = 1000;

/** Adds `search`, which lists the files of a database that match a query. */
export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('list the files of a database that match a query')
    .argument('<database>', optionTexts.database)
    .argument('[query]', 'the words to search for; empty for all files', '')
    .option('--limit <count>', 'the maximum number of files', parseCount, defaultLimit)
    .addOption(new Option('--all', 'list all files, without a limit').conflicts('limit'))
    .addOption(new Option('--status <status>', 'the staging status of the files').choices(['staged', 'unstaged']))
    .option('--folder <path>', 'only files in this folder of a local service')
    .option('--specific <json>', 'parameters that only this database has', parseJsonOption)
    .action((database: string, query: string, flags: SearchFlags, command: Command) =>
      runAction(command, (context) => searchFiles(context, database, query, flags)),
    );
}

async function searchFiles(
  context: CommandContext,
  database: string,
  query: string,
  flags: SearchFlags,
): Promise<ExitCode> {
  return await CliSession.runSearch(context, async (session) => {
    const connection = await session.connect();
    const { name } = session.findDatabase(database);
    const { status, all, limit, folder } = flags;
    if (folder !== undefined && !connection.service.hasFullPages)
      throw new CliError('Only a local service can list a folder.');
    const specific = folder === undefined ? flags.specific : { ...flags.specific, folder };
    const request = { database: name, query, ...(status && { status }), ...(specific && { specific }) };
    const { files, hasMore, leftOut, listing } = await loadFiles(session, connection, request, all ? Infinity : limit);
    const table = { columns: fileColumns, rows: files, emptyNote: describeNothing(listing) };
    context.output.printTable({ files: files.map(toFileDocument), hasMore, leftOut, listing }, table);
    if (leftOut && (folder !== undefined || Object.keys(leftOut).length > 0))
      context.output.note(toSentence(describeLeftOut(english, leftOut, String)));
    noteListing(context.output, listing);
    const advice = all ? 'There may be more.' : 'Use --limit or --all for more.';
    if (hasMore) context.output.note(`Stopped at ${formatCount(files.length, 'file')}. ${advice}`);
    return exitCode.done;
  });
}

const maxPageSize = 1000;

interface LoadedFiles extends Pick<Search, 'leftOut' | 'listing'> {
  readonly files: readonly FileEntry[];
  readonly hasMore: boolean;
}

/** Returns up to `count` files that match; `hasMore` if there may be more. Throws an error if a request fails. */
export async function loadFiles(
  { explorer }: SearchSession,
  connection: OpenConnection,
  query: Omit<SearchQuery, 'pageSize'>,
  count: number,
): Promise<LoadedFiles> {
  const { searchFlow, searchStore } = explorer;
  const key = await searchFlow.run(connection, { ...query, pageSize: Math.min(count, maxPageSize) });
  if (searchStore.get(key)?.mayHaveMore && !searchStore.get(key)?.reason) await searchFlow.loadUpTo(key, count);
  const { files = [], reason, mayHaveMore = false, leftOut, listing } = searchStore.get(key) ?? {};
  if (reason) throw createRequestError(`Couldn't search ${toPlainCell(query.database)}`, reason);
  const entries = files.flatMap((file) => (file.kind === 'file' ? [file] : []));
  const found = { files: entries.slice(0, count), hasMore: mayHaveMore || entries.length > count };
  return { ...found, ...(leftOut && { leftOut }), ...(listing && { listing }) };
}

/** Returns the note for an empty result. A store's listing may be older than what is missing from it. */
function describeNothing({ asOf, state }: Partial<StoreListing> = {}): string {
  if (asOf === undefined || state === 'scanning') return 'No files match.';
  return `No files match in the listing of ${asOf}. "data-transfer scan" lists the store again.`;
}

function toFileDocument(file: FileEntry): object {
  const { id, database, name, path, title, description, format, mediaType, sizeBytes, hash } = file;
  return { id, database, name, path, title, description, format, mediaType, bytes: sizeBytes, hash };
}

/** The columns of a table of files. */
const fileColumns: readonly Column<FileEntry>[] = [
  { title: 'ID', getText: ({ id }) => id },
  {
    title: 'SIZE',
    isNumber: true,
    getText: ({ sizeBytes }) => (sizeBytes === undefined ? '' : formatBytes(sizeBytes)),
  },
  { title: 'FORMAT', getText: ({ format }) => format },
  { title: 'PATH', getText: ({ path, name }) => path ?? name },
];
