import { l10n } from 'vscode';
import type { StagingStatus } from '../core/model/searchQuery.ts';
import type { TransferFile, TransferOrder } from '../core/model/transfer.ts';
import { filesText, listText, plainLine, plural, sizeText } from './words.ts';

/** Names a file of a database of a connection. */
export interface FileName {
  readonly connectionId: string;
  readonly database: string;
  readonly id: string;
}

/** How a file is staged, where that is known (D31). */
export type StagingLookup = (file: FileName) => StagingStatus | undefined;

/** What is known besides the orders themselves. */
export interface SummaryFacts {
  readonly stagingOf: StagingLookup;
  /** Free space at the destination, where this machine can see it. */
  readonly freeBytes: number | undefined;
}

/** What is about to be transferred, one fact a line. */
export function summaryLines(orders: readonly TransferOrder[], facts: SummaryFacts): readonly string[] {
  const files = orders.flatMap((order) => order.files);
  const lines = [
    l10n.t('Size: {0}', sizeOf(files)),
    stagingLine(orders, facts.stagingOf),
    ...sourceLines(orders),
    l10n.t('To: {0}', plainLine(orders[0]?.destination ?? '')),
    freeLine(totalOf(files), facts.freeBytes),
    orders.length > 1
      ? plural(orders.length, 'This becomes {0} transfer.', 'This becomes {0} transfers, one for each source.')
      : '',
  ];
  return lines.filter(Boolean);
}

/** "1.2 MB", "1.2 MB, 3 of unknown size", "unknown". */
function sizeOf(files: readonly TransferFile[]): string {
  const unknown = files.filter(({ sizeBytes }) => sizeBytes === undefined).length;
  if (unknown === files.length) return l10n.t({ message: 'unknown', comment: ['size'] });
  const total = sizeText(totalOf(files));
  return unknown === 0 ? total : l10n.t('{0}, and {1} of unknown size', total, filesText(unknown));
}

function totalOf(files: readonly TransferFile[]): number {
  return files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
}

function sourceLines(orders: readonly TransferOrder[]): readonly string[] {
  if (orders.length === 1) return orders.map(({ source }) => l10n.t('From: {0}', plainLine(source)));
  return orders.map(({ source, files }) =>
    l10n.t('From: {0} ({1}, {2})', plainLine(source), filesText(files.length), sizeOf(files)),
  );
}

function stagingLine(orders: readonly TransferOrder[], stagingOf: StagingLookup): string {
  const known = orders.flatMap(({ connectionId, source, files }) =>
    files.map(({ id }) => stagingOf({ connectionId, database: source, id })),
  );
  const count = (status: StagingStatus | undefined): number => known.filter((one) => one === status).length;
  const [staged, unstaged, untold] = [count('staged'), count('unstaged'), count(undefined)];
  if (staged + unstaged === 0) return '';
  const parts = [
    staged > 0 ? plural(staged, '{0} staged', '{0} staged') : '',
    unstaged > 0
      ? plural(
          unstaged,
          '{0} unstaged, which may first be fetched from tape',
          '{0} unstaged, which may first be fetched from tape',
        )
      : '',
    untold > 0 ? plural(untold, '{0} not known', '{0} not known') : '',
  ];
  return l10n.t('Staging: {0}', listText(parts));
}

function freeLine(total: number, freeBytes: number | undefined): string {
  if (freeBytes === undefined) return '';
  const free = sizeText(freeBytes);
  return total > freeBytes ? l10n.t('Free there: {0}, which is not enough', free) : l10n.t('Free there: {0}', free);
}
