import * as z from 'zod/mini';

/** The two values of the staging filter of a search (§3). */
const stagingStatusSchema = z.enum(['staged', 'unstaged']);

/** See {@link stagingStatusSchema}. */
export type StagingStatus = z.infer<typeof stagingStatusSchema>;

/** The body of `POST files` (§4.3). Empty optional fields are left out by the client. */
export const searchRequestSchema = z.looseObject({
  database: z.string().check(z.describe('Name of the database to search.')),
  orcid: z.string().check(z.describe('ORCID iD of the person who searches.')),
  query: z.string().check(z.describe('What to look for, in the language of the database. Empty: every file.')),
  status: z.optional(
    stagingStatusSchema.check(
      z.describe('Only files that are staged, ready to be copied, or only those that are not.'),
    ),
  ),
  offset: z.optional(z.int().check(z.gte(0), z.describe('0-based index of the first result.'))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Most results wanted.'))),
  specific: z.optional(
    z.record(z.string(), z.unknown()).check(z.describe('Search parameters that only this database knows.')),
  ),
});

/** See {@link searchRequestSchema}. */
export type SearchRequest = z.infer<typeof searchRequestSchema>;
