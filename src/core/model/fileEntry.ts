import type { JsonObject } from '../util/json.ts';

/** A file as described by a database (§2.3). Unknown properties are absent. */
export interface FileEntry {
  readonly kind: 'file';
  readonly id: string;
  readonly database: string;
  /** Display name: the path's last segment, or else the resource's `name` (often only a slug), or else the ID. */
  readonly name: string;
  readonly path?: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly mediaType?: string;
  readonly sizeBytes?: number;
  readonly hash?: string;
  /** The complete resource as received (D15: tolerant reading); in a summary, only its staging properties. */
  readonly resource: JsonObject;
  /** True for a file of a saved search, which has no complete resource (D59: saved searches). */
  readonly isSummary?: true;
}

/** The connection, database and ID that identify a file. */
export interface FileReference {
  readonly connectionId: string;
  readonly database: string;
  readonly id: string;
}

/** Returns a key that identifies a file across all connections. */
export function getFileKey({ connectionId, database, id }: FileReference): string {
  return JSON.stringify([connectionId, database, id]);
}

/** A resource that could not be parsed; others of the response are still shown (D15: tolerant reading). */
export interface UnreadableFile {
  readonly kind: 'unreadable';
  /** The resource as JSON, truncated if it is very long. */
  readonly text: string;
}

/** An element of the `resources` array in a response. */
export type FoundFile = FileEntry | UnreadableFile;
