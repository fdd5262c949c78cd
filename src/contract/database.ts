import * as z from 'zod/mini';

/** One database of the listing (§2.2). All four fields are there; a server may leave `url` empty. */
export const databaseSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  organization: z.string(),
  url: z.string(),
});

/** See {@link databaseSchema}. */
export type DatabaseDocument = z.infer<typeof databaseSchema>;

/** One entry of the database-specific search parameters a server may tell of (D26): its type and its allowed values. */
export const searchParameterSchema = z.looseObject({
  type: z.string(),
  value: z.optional(z.unknown()),
});

/** See {@link searchParameterSchema}. */
export type SearchParameterDocument = z.infer<typeof searchParameterSchema>;
