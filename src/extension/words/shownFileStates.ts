import { l10n } from 'vscode';
import type { FileState } from '../../core/util/fileStates.ts';
import { describeFileCounts, describeFileProblem, describeFileState } from '../../core/words/fileStateWords.ts';
import type { FileCounts, FileProgress } from '../../core/model/fileProgress.ts';
import type { FileOverview } from '../../core/transfers/fileStateFlow.ts';
import { formatNumber, formatSize, plural } from './localeFormats.ts';

/** The files of a transfer that weren't transferred, in words. */
interface FileStatesInWords {
  readonly summary: string;
  readonly rows: readonly FileRow[];
  readonly more?: string;
}

interface FileRow {
  readonly path: string;
  readonly look: Look;
  readonly state: string;
  readonly size?: string;
  readonly problem?: string;
}

type Look = 'failed' | 'running' | 'waiting' | 'stopped' | 'transferred';

const looks: Readonly<Record<FileState, Look>> = {
  failed: 'failed',
  transferring: 'running',
  staged: 'waiting',
  waiting: 'waiting',
  unfinished: 'stopped',
  transferred: 'transferred',
};

/** Describes the states of a transfer's files, for its page. Returns undefined if all files were transferred. */
export function describeFileStates({ files, counts }: FileOverview): FileStatesInWords | undefined {
  const { transferred = 0 } = counts;
  const moreCount = countAll(counts) - transferred - files.length;
  if (files.length === 0) return undefined;
  return {
    summary: describeFileCounts({ l10n, formatNumber }, counts),
    rows: files.map(toRow),
    ...(moreCount > 0 && { more: plural(moreCount, '{0} more file', '{0} more files') }),
  };
}

function toRow(file: FileProgress): FileRow {
  const problem = describeFileProblem({ l10n, formatNumber }, file);
  return {
    path: file.path,
    look: looks[file.state],
    state: describeFileState(l10n, file),
    ...(file.sizeBytes !== undefined && { size: formatSize(file.sizeBytes) }),
    ...(problem !== undefined && { problem }),
  };
}

function countAll(counts: FileCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
