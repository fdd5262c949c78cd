import * as z from 'zod/mini';
import { hasFields } from './fieldCheck.ts';

/** A file, described as a data resource (§2.3). May contain additional fields (D15: tolerant reading). */
export interface FileResource {
  [field: string]: unknown;
  id: string;
  name?: string | null | undefined;
  path?: string | null | undefined;
  title?: string | null | undefined;
  description?: string | null | undefined;
  format?: string | null | undefined;
  mediatype?: string | null | undefined;
  encoding?: string | null | undefined;
  /** Size in bytes. */
  bytes?: number | null | undefined;
  /** Hash of the content, as defined by the Data Resource standard: `algorithm:hex`, or just the hex digits for MD5. */
  hash?: string | null | undefined;
}

const fields = {
  texts: ['id', 'name', 'path', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash'],
  numbers: ['bytes'],
} as const;

/**
 * Returns true if `value` is a {@link FileResource}. Doesn't use a schema, because validation would be too slow for
 * thousands of files.
 */
export function isFileResource(value: unknown): value is FileResource {
  return hasFields(value, fields) && typeof value['id'] === 'string';
}

/**
 * Describes the response to a search or metadata request. Doesn't validate the resources, so that callers can validate
 * them one by one.
 */
export const resourcesSchema = z.looseObject({
  resources: z.nullish(z.array(z.unknown())),
});
