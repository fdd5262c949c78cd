/** An error in a problem document. Omits the `value` field, which is never read (D14: error documents). */
interface ProblemDetail {
  readonly message?: string | null;
  /** The part of the request that caused the error, such as `body.offset`, `path.id` or `query.orcid`. */
  readonly location?: string | null;
}

/**
 * The body of an error response of type `application/problem+json` (D14: error documents, D26: service HTTP behavior).
 */
export interface ProblemDocument {
  readonly title?: string | null;
  readonly status?: number | null;
  readonly detail?: string | null;
  readonly errors?: readonly ProblemDetail[] | null;
}

/** The media type of {@link ProblemDocument}. */
export const problemMediaType = 'application/problem+json';
