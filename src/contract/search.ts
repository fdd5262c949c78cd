import * as z from 'zod/mini';

/** The values of a search's staging filter (§3). */
const stagingStatusSchema = z.enum(['staged', 'unstaged']);

/** The staging filter of a search (§3). */
export type StagingStatus = z.infer<typeof stagingStatusSchema>;

/** Describes the body of `POST files` (§4.3). The client omits empty optional fields. */
export const searchRequestSchema = z.looseObject({
  database: z.string(),
  orcid: z.string(),
  query: z.string(),
  status: z.optional(
    stagingStatusSchema.check(
      z.describe('Returns only staged files, which are ready to be copied, or only unstaged ones.'),
    ),
  ),
  offset: z.optional(z.int().check(z.gte(0))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Maximum number of results to return.'))),
  specific: z.optional(z.record(z.string(), z.unknown())),
});

/** The body of `POST files` (§4.3). */
export type SearchRequest = z.infer<typeof searchRequestSchema>;

/** Describes the body of `POST files/by-id` (D8: metadata by ids). */
export const metadataRequestSchema = z.looseObject({
  database: z.string(),
  orcid: z.string(),
  file_ids: z.array(z.string()).check(z.minLength(1)),
  offset: z.optional(z.int().check(z.gte(0), z.describe('0-based index of the first file, in the order of the ids.'))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Maximum number of files to return.'))),
});

/** The body of `POST files/by-id` (D8: metadata by ids). */
export type MetadataRequest = z.infer<typeof metadataRequestSchema>;
