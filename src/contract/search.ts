import * as z from 'zod/mini';

/** The two values of the staging filter of a search (§3). */
const stagingStatusSchema = z.enum(['staged', 'unstaged']);

/** See {@link stagingStatusSchema}. */
export type StagingStatus = z.infer<typeof stagingStatusSchema>;

/** The body of `POST files` (§4.3). Empty optional fields are left out by the client. */
export const searchRequestSchema = z.looseObject({
  database: z.string(),
  orcid: z.string(),
  query: z.string(),
  status: z.optional(stagingStatusSchema),
  /** 0-based index of the first result. */
  offset: z.optional(z.int().check(z.gte(0))),
  /** Most results wanted. */
  limit: z.optional(z.int().check(z.gte(1))),
  specific: z.optional(z.record(z.string(), z.unknown())),
});

/** See {@link searchRequestSchema}. */
export type SearchRequest = z.infer<typeof searchRequestSchema>;
