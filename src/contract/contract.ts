import * as z from 'zod/mini';

/** Describes the root document at the base address of a service (§2.1, D15: tolerant reading). */
export const rootDocumentSchema = z.looseObject({
  name: z.nullish(z.string()),
  version: z.nullish(z.string()),
  /** A list of what the service can do besides the contract; any other value means nothing. */
  features: z.optional(z.unknown()),
});

/** The name that the local service reports, which fills every page except the last (D21: search syntax). */
export const localServiceName = 'Data Transfer Local Service';

/** The API version that client and local service implement, as in `{base}/api/v1` (§9, D27: API version). */
export const apiVersion = 1;

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

/** A file, described as a data resource (§2.3). May contain additional fields (D15: tolerant reading). */
export interface FileResource {
  [field: string]: unknown;
  id: string;
  name?: string | null | undefined;
  path?: string | null | undefined;
  title?: string | null | undefined;
  description?: string | null | undefined;
  format?: string | null | undefined;
  mediatype?: string | null | undefined;
  encoding?: string | null | undefined;
  /** Size in bytes. */
  bytes?: number | null | undefined;
  /** Hash of the content, as defined by the Data Resource standard: `algorithm:hex`, or just the hex digits for MD5. */
  hash?: string | null | undefined;
}

/** Describes the response to a search or metadata request. Callers validate the resources one by one. */
export const resourcesSchema = z.looseObject({
  resources: z.nullish(z.array(z.unknown())),
});

/** The values of a search's staging filter (§3). */
const stagingStatusSchema = z.enum(['staged', 'unstaged']);

/** The staging filter of a search (§3). */
export type StagingStatus = z.infer<typeof stagingStatusSchema>;

/** Describes the body of `POST files` (§4.3). The client omits empty optional fields. */
export const searchRequestSchema = z.looseObject({
  database: z.string(),
  orcid: z.string(),
  query: z.string(),
  status: z.optional(
    stagingStatusSchema.check(
      z.describe('Returns only staged files, which are ready to be copied, or only unstaged ones.'),
    ),
  ),
  offset: z.optional(z.int().check(z.gte(0))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Maximum number of results to return.'))),
  specific: z.optional(z.record(z.string(), z.unknown())),
});

/** The body of `POST files` (§4.3). */
export type SearchRequest = z.infer<typeof searchRequestSchema>;

/** Describes the body of `POST files/by-id` (D8: metadata by ids). */
export const metadataRequestSchema = z.looseObject({
  database: z.string(),
  orcid: z.string(),
  file_ids: z.array(z.string()).check(z.minLength(1)),
  offset: z.optional(z.int().check(z.gte(0), z.describe('0-based index of the first file, in the order of the ids.'))),
  limit: z.optional(z.int().check(z.gte(1), z.describe('Maximum number of files to return.'))),
});

/** The body of `POST files/by-id` (D8: metadata by ids). */
export type MetadataRequest = z.infer<typeof metadataRequestSchema>;

/** Describes the body of `POST transfers` (§4.5). The client omits empty optional fields. The service describes
 * the fields (`src/service/wire/apiSchemas.ts`). */
export const transferRequestSchema = z.looseObject({
  orcid: z.string(),
  source: z.string(),
  destination: z.string(),
  file_ids: z.array(z.string()),
  description: z.optional(z.string()),
  instructions: z.optional(z.record(z.string(), z.unknown())),
});

/** The body of `POST transfers` (§4.5). */
export type TransferRequest = z.infer<typeof transferRequestSchema>;

/** Describes the response to a submission (§4.5). */
export const transferAcceptedSchema = z.looseObject({ id: z.string() });

/** The numbers in a transfer's status, with their descriptions (§2.4). */
const statusNumbers = {
  num_files: 'Number of files in the transfer.',
  num_files_transferred: 'Number of files at the destination.',
} as const;

/** Creates a schema for each number in a transfer's status. */
export function createNumberSchemas<T>(create: (description: string) => T): Record<keyof typeof statusNumbers, T> {
  const schemas = Object.entries(statusNumbers).map(([name, description]) => [name, create(description)]);
  return Object.fromEntries(schemas) as Record<keyof typeof statusNumbers, T>;
}

/** Describes a transfer's status (§2.4). `status` may have values beyond the contract (D10: open status set). */
export const transferStatusSchema = z.looseObject({
  id: z.nullish(z.string()),
  status: z.nullish(z.string()),
  message: z.nullish(z.string()),
  ...createNumberSchemas(() => z.nullish(z.number())),
});

/** The status of a transfer (§2.4). */
export type TransferStatusDocument = z.infer<typeof transferStatusSchema>;

/**
 * Describes the response to `GET /transfers/{id}/files`, which is beyond the contract (D71: file states). Doesn't validate
 * the files and counts, so that a client can leave out those with a state of a later version.
 */
export const transferFilesSchema = z.looseObject({
  files: z.array(z.unknown()),
  counts: z.record(z.string(), z.unknown()),
  cursor: z.nullish(z.string()),
});

/** An error in a problem document. Omits the `value` field, which is never read (D14: error documents). */
interface ProblemDetail {
  readonly message?: string | null;
  /** The part of the request that caused the error, such as `body.offset`, `path.id` or `query.orcid`. */
  readonly location?: string | null;
}

/** The body of an `application/problem+json` response (D14: error documents, D26: service HTTP behavior). */
export interface ProblemDocument {
  readonly title?: string | null;
  readonly status?: number | null;
  readonly detail?: string | null;
  readonly errors?: readonly ProblemDetail[] | null;
}

/** The media type of {@link ProblemDocument}. */
export const problemMediaType = 'application/problem+json';
