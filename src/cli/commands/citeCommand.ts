import { Option, type Command } from 'commander';
import { listCitations } from '../../core/citations/citableUnits.ts';
import { citationFormats, writeCitations, type CitationFormat } from '../../core/citations/citationFormats.ts';
import { hasEnded, type Transfer } from '../../core/model/transferModel.ts';
import { formatDay } from '../../core/util/writtenValues.ts';
import { describeCitationRequest, describeUnknownFiles } from '../../core/words/sharedSentences.ts';
import { createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { optionTexts } from '../options.ts';
import { english, noteListing } from '../text/sentences.ts';
import { formatCount } from '../output.ts';
import { connectFor, findRecordedTransfer } from '../transfers/transferLookup.ts';
import { describeMissing, fetchFiles, type DescribedFiles } from './describeCommand.ts';

interface CiteFlags {
  readonly format: CitationFormat;
  readonly transfer?: string;
}

/** The files to cite, with their database and, for the files of a transfer, the day of that transfer. */
interface CitedSource extends DescribedFiles {
  readonly database: string;
  readonly accessed?: string;
}

/** Adds `cite`, which writes citations for individual files, or for all of a transfer's files. */
export function addCiteCommand(program: Command): void {
  program
    .command('cite')
    .description('write citations of files, or of the files of a transfer')
    .argument('[database]', optionTexts.database)
    .argument('[id...]', optionTexts.fileIds)
    .addOption(new Option('--format <format>', 'the format').choices(citationFormats).default('bibtex'))
    .option('--transfer <transfer>', 'the transfer to cite files from')
    .action((database: string | undefined, ids: readonly string[], flags: CiteFlags, command: Command) =>
      runAction(command, (context) => cite(context, database, ids, flags)),
    );
}

async function cite(
  context: CommandContext,
  database: string | undefined,
  ids: readonly string[],
  { format, transfer }: CiteFlags,
): Promise<ExitCode> {
  if (transfer !== undefined && database !== undefined)
    throw createUsageError('Use either a database and the IDs of its files, or --transfer.');
  return await CliSession.run(context, async (session) => {
    const source =
      transfer === undefined ? await getFiles(session, database, ids) : await getTransferFiles(session, transfer);
    const text = formatCitations(source, format);
    context.output.print({ format, text, missing: source.missing }, () => text);
    if (source.missing.length > 0) context.output.note(describeMissing(source.database, source));
    noteListing(context.output, source.listing);
    return source.missing.length > 0 ? exitCode.notFound : exitCode.done;
  });
}

async function getFiles(session: CliSession, named: string | undefined, ids: readonly string[]): Promise<CitedSource> {
  if (named === undefined || ids.length === 0)
    throw createUsageError('Specify a database and the IDs of its files, or a transfer with --transfer.');
  const { connection } = await session.connect();
  const database = session.findDatabase(named).name;
  return { database, ...(await fetchFiles(session, connection.id, database, ids)) };
}

async function getTransferFiles(session: CliSession, name: string): Promise<CitedSource> {
  const transfer = await findRecordedTransfer(session, name);
  const { connectionId, source, files } = transfer.order;
  if (files.length === 0) throw createUsageError(describeUnknownFiles(english));
  await connectFor(session, transfer);
  const ids = files.map(({ id }) => id);
  return { database: source, accessed: getDay(transfer), ...(await fetchFiles(session, connectionId, source, ids)) };
}

function getDay({ state, changes, createdAt }: Transfer): string {
  return formatDay((hasEnded(state) ? changes.at(-1)?.at : undefined) ?? createdAt);
}

function formatCitations({ files, accessed }: CitedSource, format: CitationFormat): string {
  if (files.length === 0) return '';
  const citations = listCitations(files, accessed);
  return writeCitations(format, citations, {
    message: describeCitationRequest(english),
    title: formatCount(citations.length, 'dataset'),
    unknownAuthor: 'anonymous',
  });
}
