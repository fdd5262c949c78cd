import * as z from 'zod/mini';

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

/** The fields of {@link fileResourceSchema} that are text, where they are there; `id` always is. */
const textFields = ['name', 'path', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash'] as const;

/**
 * Whether a value is what {@link fileResourceSchema} describes. The same said a second time, because an answer can hold
 * tens of thousands of files, for which the schema takes longer than reading the JSON does.
 */
export function isFileResource(value: unknown): value is FileResource {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const told = value as Readonly<Record<string, unknown>>;
  if (typeof told['id'] !== 'string') return false;
  const bytes = told['bytes'];
  if (bytes !== undefined && bytes !== null && !Number.isFinite(bytes)) return false;
  return textFields.every((name) => isTextOrAbsent(told[name]));
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** The answer of a search and of a metadata request: resources not yet looked at one by one; null is none (D15). */
export const resourcesSchema = z.looseObject({
  resources: z.nullish(z.array(z.unknown())),
});
