import type { Command } from 'commander';
import type { StoreListing } from '../../core/model/databaseModel.ts';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { dedupeIds } from '../../core/model/idList.ts';
import type { Reason } from '../../core/model/reason.ts';
import { CliError, createRequestError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { optionTexts } from '../options.ts';
import { formatCount, toPlainCell } from '../output.ts';
import { describeReason, noteListing } from '../text/sentences.ts';

/** The files with the requested IDs, and the IDs for which no readable file was returned. */
export interface DescribedFiles {
  readonly files: readonly FileEntry[];
  readonly missing: readonly string[];
  /** The reason why some IDs could not be looked up; absent if no lookup failed. */
  readonly reason?: Reason;
  /** The state of the listing of a store. */
  readonly listing?: StoreListing;
  /** True if unreadable metadata was returned. It isn't known to which of the missing IDs that metadata belongs. */
  readonly hasUnreadable: boolean;
}

/** Adds `describe`, which prints the metadata of files. */
export function addDescribeCommand(program: Command): void {
  program
    .command('describe')
    .description('print the metadata of files')
    .argument('<database>', optionTexts.database)
    .argument('<id...>', optionTexts.fileIds)
    .action((database: string, ids: readonly string[], _, command: Command) =>
      runAction(command, (context) => describeFiles(context, database, ids)),
    );
}

async function describeFiles(context: CommandContext, database: string, ids: readonly string[]): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const connection = await session.connect();
    const { name } = session.findDatabase(database);
    const described = await fetchFiles(session, connection.connection.id, name, ids);
    const { files, missing } = described;
    const resources = files.map(({ resource }) => resource);
    context.output.print({ files: resources, missing }, () => resources.map(formatResource).join('\n'));
    if (missing.length > 0) context.output.note(describeMissing(name, described));
    noteListing(context.output, described.listing);
    return missing.length > 0 ? exitCode.notFound : exitCode.done;
  });
}

/** Fetches the metadata of files in the order of `ids`. Throws an error if no file is found, or without IDs. */
export async function fetchFiles(
  { explorer }: Pick<CliSession, 'explorer'>,
  connectionId: string,
  database: string,
  ids: readonly string[],
): Promise<DescribedFiles> {
  const wanted = dedupeIds(ids);
  if (wanted.length === 0) throw createUsageError('No file IDs were given.');
  const { files, reason, listing } = await explorer.metadataFlow.fetchFiles(connectionId, database, wanted);
  const entries = files.flatMap((file) => (file.kind === 'file' ? [file] : []));
  const failure = reason?.kind === 'notFound' ? undefined : reason;
  if (failure && !failure.isIdAtFault && entries.length === 0)
    throw createRequestError("Couldn't fetch the metadata", failure);
  const found = new Set(entries.map(({ id }) => id));
  const missing = wanted.filter((id) => !found.has(id));
  const facts = { ...(failure && { reason: failure }), ...(listing && { listing }) };
  return { files: entries, missing, hasUnreadable: entries.length < files.length, ...facts };
}

/** Describes the first ten IDs that a database doesn't have, or whose metadata couldn't be read. */
export function describeMissing(database: string, described: Omit<DescribedFiles, 'files'>): string {
  const { missing, reason, hasUnreadable } = described;
  const listed = missing.slice(0, 10).map(toPlainCell).join(', ');
  const ids = missing.length > 10 ? `${listed}, and ${missing.length - 10} more` : listed;
  const [name, files] = [toPlainCell(database), formatCount(missing.length, 'requested file')];
  if (reason) return `Couldn't find or look up ${files} in ${name}: ${ids} (${describeReason(reason)}).`;
  return hasUnreadable
    ? `${name} returned no readable metadata for ${files}: ${ids}.`
    : `${name} doesn't have ${files}: ${ids}.`;
}

/** Throws an error with exit code 4 if IDs are missing. */
export function requireAll(database: string, described: DescribedFiles): void {
  if (described.missing.length > 0) throw new CliError(describeMissing(database, described), exitCode.notFound);
}

function formatResource(resource: object): string {
  const lines = Object.entries(resource).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${toPlainCell(name)}: ${toPlainCell(text)}\n`;
  });
  return lines.join('');
}
