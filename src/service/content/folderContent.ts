import * as fs from 'node:fs';
import { BadFile, createChangedFileError } from '../transfers/fileJobs.ts';
import { SourceFiles, type OpenFile } from '../transfers/openFiles.ts';
import { formatEntityTag, isMatching, resolveRange, type RequestedRange } from './contentRange.ts';

/** A request for a part of a file. */
export interface ContentRequest {
  readonly range: RequestedRange;
  /** The `If-Match` header; absent to read any version of the file. */
  readonly ifMatch?: string | undefined;
}

/** A file in a folder, and the part of it to read. */
interface ContentJob extends ContentRequest {
  readonly folder: string;
  /** Path relative to the folder. */
  readonly path: string;
}

/** A part of a file. */
export interface ContentPart {
  readonly entityTag: string;
  /** Size of the whole file. */
  readonly totalBytes: number;
  /** In milliseconds since 1970; absent if it is unknown. */
  readonly modifiedMs?: number | undefined;
  /** Offset of the content in the file. */
  readonly from: number;
  /**
   * Absent if nothing was read, because `If-Match` excludes the file as it is (`changed`), or because it ends before the
   * range (`outside`).
   */
  readonly content?: Uint8Array<ArrayBuffer> | undefined;
  readonly refusal?: 'changed' | 'outside';
}

/** A file that isn't read. */
interface BadContent {
  /** The reason as a clause. */
  readonly cause: string;
}

/**
 * Reads a part of a regular file in a folder, without following a link out of it. Returns the cause if the file is
 * another kind of file, outside, or changes meanwhile. Throws errors of the system.
 */
export function readFolderContent({ folder, path, ...request }: ContentJob): ContentPart | BadContent {
  try {
    return new SourceFiles(folder).open(path, (opened) => readOpenFile(opened, request));
  } catch (error) {
    // The class of an error doesn't reach the other thread.
    if (error instanceof BadFile) return { cause: error.message };
    throw error;
  }
}

function readOpenFile({ file, stats }: OpenFile, { range, ifMatch }: ContentRequest): ContentPart {
  const entityTag = formatEntityTag(stats.size, String(stats.mtimeNs));
  const known = { entityTag, totalBytes: Number(stats.size), modifiedMs: Number(stats.mtimeMs) };
  if (!isMatching(ifMatch, entityTag)) return { ...known, from: 0, refusal: 'changed' };
  const resolved = resolveRange(range, known.totalBytes);
  if (resolved === undefined) return { ...known, from: 0, refusal: 'outside' };
  const { from, to } = resolved;
  const content = new Uint8Array(to - from);
  for (let count = 0; count < content.length;) {
    const read = fs.readSync(file, content, count, content.length - count, from + count);
    if (read === 0) throw createChangedFileError();
    count += read;
  }
  const { size, mtimeNs } = fs.fstatSync(file, { bigint: true });
  if (size !== stats.size || mtimeNs !== stats.mtimeNs) throw createChangedFileError();
  return { ...known, from, content };
}
