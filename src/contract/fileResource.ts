import * as z from 'zod/mini';
import { hasFields } from './quickCheck.ts';

/**
 * A file as the wire describes it: a data resource (§2.3). Only `id` is needed to work with a file;
 * every other field may be absent or null, and fields not named here are kept as they came (D15).
 */
export const fileResourceSchema = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  path: z.nullish(z.string()),
  title: z.nullish(z.string()),
  description: z.nullish(z.string()),
  format: z.nullish(z.string()),
  mediatype: z.nullish(z.string()),
  encoding: z.nullish(z.string()),
  /** Size in bytes. */
  bytes: z.nullish(z.number()),
  /** `algorithm:hex`, or bare hex for MD5, as data resources have it. */
  hash: z.nullish(z.string()),
});

/** See {@link fileResourceSchema}. */
export type FileResource = z.infer<typeof fileResourceSchema>;

const fields = {
  texts: ['id', 'name', 'path', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash'],
  numbers: ['bytes'],
} as const;

/** Whether a value is what {@link fileResourceSchema} describes, without the schema: an answer can hold very many files. */
export function isFileResource(value: unknown): value is FileResource {
  return hasFields(value, fields) && typeof value['id'] === 'string';
}

/** The answer of a search and of a metadata request: resources not yet looked at one by one; null is none (D15). */
export const resourcesSchema = z.looseObject({
  resources: z.nullish(z.array(z.unknown())),
});
