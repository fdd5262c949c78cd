import * as z from 'zod/mini';

/** Describes a database of the listing (§2.2). All four fields are required; `url` may be empty. */
export const databaseSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  organization: z.string(),
  url: z.string(),
});

/** See {@link databaseSchema}. */
export type DatabaseDocument = z.infer<typeof databaseSchema>;

/** Describes the type and the allowed values of one database-specific search parameter (D26: service HTTP behavior). */
export const searchParameterSchema = z.looseObject({
  type: z.string(),
  value: z.optional(z.unknown()),
});

/** See {@link searchParameterSchema}. */
export type SearchParameterDocument = z.infer<typeof searchParameterSchema>;
