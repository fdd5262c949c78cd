import * as z from 'zod/mini';

/** The body of `POST files/by-id`, the younger form of the metadata request (D8); `GET` carries `ids` joined by commas (§4.4). */
export const metadataRequestSchema = z.looseObject({
  database: z.string(),
  orcid: z.string(),
  file_ids: z.array(z.string()).check(z.minLength(1)),
  offset: z.optional(z.int().check(z.gte(0))),
  limit: z.optional(z.int().check(z.gte(1))),
});

/** See {@link metadataRequestSchema}. */
export type MetadataRequest = z.infer<typeof metadataRequestSchema>;
