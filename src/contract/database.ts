import * as z from 'zod/mini';

/** Describes a database in the listing (§2.2). All four fields are required, but may be empty. */
export const databaseSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  organization: z.string(),
  url: z.string(),
});

/** A database in the listing (§2.2). */
export type DatabaseDocument = z.infer<typeof databaseSchema>;

/** Describes a database-specific search parameter: its type and allowed values (D26: service HTTP behavior). */
export const searchParameterSchema = z.looseObject({
  type: z.string(),
  value: z.optional(z.unknown()),
});

/** A database-specific search parameter. */
export type SearchParameterDocument = z.infer<typeof searchParameterSchema>;
