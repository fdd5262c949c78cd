import * as z from 'zod/mini';

/** Describes the body of `POST files/by-id` (D8: metadata by ids). */
export const metadataRequestSchema = z.looseObject({
  database: z.string().check(z.describe('Name of the database that holds the files.')),
  orcid: z.string().check(z.describe('ORCID iD of the user.')),
  file_ids: z.array(z.string()).check(z.minLength(1), z.describe('IDs of the files.')),
  offset: z.optional(z.int().check(z.gte(0), z.describe('0-based index of the first file, in the order of the ids.'))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Maximum number of files to return.'))),
});

/** The body of `POST files/by-id` (D8: metadata by ids). */
export type MetadataRequest = z.infer<typeof metadataRequestSchema>;
