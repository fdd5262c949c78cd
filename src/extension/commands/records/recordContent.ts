import { l10n } from 'vscode';
import { createFileCrate, createRoCrate, roCrateName } from '../../../core/model/roCrate.ts';
import {
  createOmission,
  exportChecksums,
  exportFiles,
  filterChecksummed,
  listTransferOmissions,
  type Omission,
} from '../../../core/model/fileExport.ts';
import { getServiceName } from '../../../core/model/transferModel.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { CommandServices } from '../services.ts';
import { loadTransferred, type RecordSource } from './recordSource.ts';

/** A format in which a transfer's record can be exported. */
export type RecordFormat = 'csv' | 'tsv' | 'sha256' | 'crate';

/** The suggested file name for each format. */
export const recordNames: Readonly<Record<RecordFormat, string>> = {
  csv: 'files.csv',
  tsv: 'files.tsv',
  sha256: 'files.sha256',
  crate: roCrateName,
};

/** The content of an exported record. */
interface RecordContent {
  readonly pieces: Iterable<string>;
  /** Folder that the paths of a transfer's files are relative to; absent if unknown. */
  readonly folder?: string | undefined;
  readonly fileCount: number;
  /** The files that the record omits, and the reasons. */
  readonly omissions: readonly Omission[];
}

/**
 * Creates the content of a record. For a transfer, finds its folder and lists the files in the manifest. If the
 * manifest is missing or empty, a table or a checksum file lists the requested files instead. Returns undefined if the
 * user cancels.
 */
export async function createContent(
  services: CommandServices,
  source: RecordSource,
  format: RecordFormat,
): Promise<RecordContent | undefined> {
  const { transfer } = source;
  if (!transfer) return formatRecord(services, source, format);
  const record = await loadTransferred(services, transfer);
  if (!record) return undefined;
  const omissions = listTransferOmissions(transfer, record.files);
  const files = record.files.length > 0 || format === 'crate' ? record.files : source.files;
  const content = formatRecord(services, { ...source, files, omissions }, format);
  return { ...content, folder: record.folder?.folder };
}

function formatRecord(services: CommandServices, source: RecordSource, format: RecordFormat): RecordContent {
  if (format === 'sha256') return formatChecksums(source);
  const { files, omissions } = source;
  const pieces =
    format === 'crate' ? [formatCrate(services, source)] : exportFiles(files, format === 'csv' ? ',' : '\t');
  return { pieces, fileCount: files.length, omissions };
}

function formatChecksums({ files, omissions }: RecordSource): RecordContent {
  const listed = filterChecksummed(files);
  if (listed.length === 0) throw new CommandHint(l10n.t('None of these files has a SHA-256 hash.'));
  const all = [...createOmission('noHash', files.length - listed.length), ...omissions];
  return { pieces: exportChecksums(listed, all), fileCount: listed.length, omissions: all };
}

function formatCrate(services: CommandServices, { transfer, ...list }: RecordSource): string {
  const names = [...new Set(list.connectionIds)].map((id) => {
    const name = getConnectionName(services, id);
    return transfer ? getServiceName(transfer, name) : name || id;
  });
  const serviceName = names.join(', ');
  const context = { version: services.facts.version, serviceName, now: Date.now() };
  const crate = transfer ? createRoCrate({ ...list, transfer }, context) : createFileCrate(list, context);
  return `${JSON.stringify(crate, undefined, 2)}\n`;
}
