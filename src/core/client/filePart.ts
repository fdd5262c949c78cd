import { maxContentBytes } from '../util/fileContent.ts';
import { getHeader } from './failures.ts';
import type { HttpResponse } from './request.ts';

/** A part of a file, as the service returned it. */
export interface FilePart {
  readonly bytes: Uint8Array;
  /** Size of the whole file. */
  readonly totalBytes: number;
  /** Identifies this version of the file; empty if the service doesn't say. */
  readonly entityTag: string;
  /** In milliseconds since 1970; absent if it is unknown. */
  readonly modifiedMs?: number;
}

/** The content of an empty file. */
export const emptyFile: FilePart = { bytes: new Uint8Array(), totalBytes: 0, entityTag: '' };

/** A range as it was requested. */
export interface SentRange {
  readonly offset: number;
  readonly limit: number;
}

/** Formats the value of a `Range` header. */
export function formatRange({ offset, limit }: SentRange): string {
  return `bytes=${offset}-${offset + limit - 1}`;
}

/** Reads a successful response. Returns undefined if it isn't the beginning of the range that was requested. */
export function readFilePart(response: HttpResponse, { offset, limit }: SentRange): FilePart | undefined {
  const { status, bytes } = response;
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(getHeader(response, 'content-range'));
  if (status !== 206 || !range || !bytes) return undefined;
  const [first, last, totalBytes] = range.slice(1).map(Number);
  if (first !== offset || last === undefined || totalBytes === undefined || last >= totalBytes) return undefined;
  if (bytes.length !== last - first + 1 || bytes.length > Math.min(limit, maxContentBytes)) return undefined;
  const modifiedMs = Date.parse(getHeader(response, 'last-modified'));
  const entityTag = getHeader(response, 'etag');
  return { bytes, totalBytes, entityTag, ...(!Number.isNaN(modifiedMs) && { modifiedMs }) };
}
