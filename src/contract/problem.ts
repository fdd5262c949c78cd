import * as z from 'zod/mini';

/** Describes one error in a problem document. Omits its `value`, which is never read (D14: error documents). */
const problemDetailSchema = z.looseObject({
  message: z.nullish(z.string()),
  /** The part of the request that caused the error, such as `body.offset`, `path.id` or `query.orcid`. */
  location: z.nullish(z.string()),
});

/**
 * Describes the body of an error response of type `application/problem+json` (D14: error documents, D26: service HTTP
 * behavior).
 */
export const problemDocumentSchema = z.looseObject({
  title: z.nullish(z.string()),
  status: z.nullish(z.number()),
  detail: z.nullish(z.string()),
  errors: z.nullish(z.array(problemDetailSchema)),
});

/** The body of an error response of type `application/problem+json`. */
export type ProblemDocument = z.infer<typeof problemDocumentSchema>;

/** The media type of {@link problemDocumentSchema}. */
export const problemMediaType = 'application/problem+json';
