import * as z from 'zod/mini';

/** The body of `POST files/by-id`, the younger form of the metadata request (D8); `GET` carries `ids` joined by commas (§4.4). */
export const metadataRequestSchema = z.looseObject({
  database: z.string().check(z.describe('Name of the database that holds the files.')),
  orcid: z.string().check(z.describe('ORCID iD of the person who asks.')),
  file_ids: z.array(z.string()).check(z.minLength(1), z.describe('Ids of the files.')),
  offset: z.optional(z.int().check(z.gte(0), z.describe('0-based index of the first file, in the order of the ids.'))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Most files wanted.'))),
});

/** See {@link metadataRequestSchema}. */
export type MetadataRequest = z.infer<typeof metadataRequestSchema>;
