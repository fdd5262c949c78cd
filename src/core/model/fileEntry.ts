import type { JsonObject } from '../util/json.ts';

/** A file as a database described it (§2.3). What the database did not tell is absent. */
export interface FileEntry {
  readonly kind: 'file';
  readonly id: string;
  /** Name of the database it was found in. */
  readonly database: string;
  /** What to call it: the last part of its path, which people know; else its name, which servers cut to a slug; else its id. */
  readonly name: string;
  readonly path?: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly mediaType?: string;
  readonly sizeBytes?: number;
  readonly hash?: string;
  /** The whole resource as it came, nothing hidden (D15). */
  readonly resource: JsonObject;
}

/** A resource that could not be read; the others of its answer are not lost (D15). */
export interface UnreadableFile {
  readonly kind: 'unreadable';
  /** The resource as JSON text, as it came. */
  readonly text: string;
}

/** One element of the `resources` of an answer. */
export type FoundFile = FileEntry | UnreadableFile;
