import * as z from 'zod/mini';

/** One detail of a problem document. `value`, where a server sends it, is never read: it can hold other people's data (D14). */
const problemDetailSchema = z.looseObject({
  message: z.nullish(z.string()),
  /** Where in the request: `body.offset`, `path.id`, `query.orcid`. */
  location: z.nullish(z.string()),
});

/** An error's body, `application/problem+json` (D14, D26). */
export const problemDocumentSchema = z.looseObject({
  title: z.nullish(z.string()),
  status: z.nullish(z.number()),
  detail: z.nullish(z.string()),
  errors: z.nullish(z.array(problemDetailSchema)),
});

/** See {@link problemDocumentSchema}. */
export type ProblemDocument = z.infer<typeof problemDocumentSchema>;

/** The media type of {@link problemDocumentSchema}. */
export const problemMediaType = 'application/problem+json';
