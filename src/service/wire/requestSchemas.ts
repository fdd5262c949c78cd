import * as z from 'zod/mini';
import { fieldTexts } from '../../core/util/sharedTexts.ts';
import { metadataRequestSchema, searchRequestSchema, transferRequestSchema } from '../../contract/contract.ts';
import { restoreSchema } from '../stores/storeRestore.ts';

/** Sort keys for results, default first. */
export const sortKeys = ['relevance', 'path', 'name', 'bytes', 'modified'] as const;

/** The sort directions of a search. */
export const orders = ['asc', 'desc'] as const;

const maxTextLength = 10_000;
const nonEmptyPattern = z.regex(/\S/);

const databaseField = z.string().check(z.describe('Name or ID of a database.'));
const orcidField = z
  .string()
  .check(
    nonEmptyPattern,
    z.meta({ description: 'ORCID iD or login name of the requesting person.', examples: ['0000-0002-1825-0097'] }),
  );

const textParameter = z.nullish(z.string().check(z.maxLength(maxTextLength)));
const sizeParameter = z.nullish(z.number().check(z.gte(0)));

function isEmptyOrInstant(value: string | null | undefined): boolean {
  return value === undefined || value === null || value === '' || !Number.isNaN(Date.parse(value));
}

/** Search parameters for this service's databases; null and empty strings count as absent. */
const specificSchema = z
  .strictObject({
    format: textParameter.check(z.describe('Only files of this format, compressed or not: `csv`.')),
    path: textParameter.check(z.describe('Only files whose path matches this pattern: `data/*.json`.')),
    minBytes: sizeParameter.check(z.describe('Only files of at least this size in bytes.')),
    maxBytes: sizeParameter.check(z.describe('Only files of at most this size in bytes.')),
    modifiedAfter: textParameter.check(
      z.refine(isEmptyOrInstant),
      z.meta({ description: 'Only files that changed after this date or time.', examples: ['2026-11-20'] }),
    ),
    sort: z.nullish(z.enum([...sortKeys, ''])).check(z.describe('Sort key of the results.')),
    order: z.nullish(z.enum([...orders, ''])).check(z.describe('Applies to every `sort` except `relevance`.')),
  })
  .check(z.describe("Search parameters of this service's databases. Null and empty text count as absent."));

/** The database-specific parameters of a search (§4.3). */
export type SearchSpecific = z.infer<typeof specificSchema>;

/** The body of a search (§4.3), with maximum lengths. Unknown fields are rejected. */
export const searchSchema = z.strictObject({
  ...searchRequestSchema.shape,
  database: databaseField,
  orcid: orcidField,
  query: z
    .string()
    .check(
      z.maxLength(maxTextLength),
      z.describe(
        'Words, all of which must begin a word of the file; `"a phrase"`, `-word`, `format:csv`, `path:data/*.json`, `bytes:>1000000`, `a | b`. Empty: every file.',
      ),
    ),
  specific: z.optional(specificSchema),
  offset: z.optional(
    z
      .int()
      .check(z.gte(0), z.describe('0-based number of the first result, counted from the first one or from `cursor`.')),
  ),
  cursor: z.optional(
    z
      .string()
      .check(
        z.describe(
          'The `cursor` of a response to the same search: continues after the last file of that response, without repeating or leaving out other files if some have come or gone since.',
        ),
      ),
  ),
});

/** The validated body of a search (§4.3). */
export type LocalSearchRequest = z.infer<typeof searchSchema>;

/** The body of a metadata request (D8: metadata by ids). */
export const metadataSchema = z.strictObject({
  ...metadataRequestSchema.shape,
  database: databaseField,
  orcid: orcidField,
  file_ids: z.array(z.string()).check(z.minLength(1), z.describe(fieldTexts.fileIds)),
});

const { file_ids: ids, ...metadataFields } = metadataSchema.shape;

/**
 * The query of a metadata request (§4.4): the fields of {@link metadataSchema}, but with comma-separated `ids` instead
 * of `file_ids`.
 */
export const metadataQuerySchema = z.strictObject({ ...metadataFields, ids });

const { description, instructions } = transferRequestSchema.shape;

/** The body of a submission (§4.5). Optional fields may be null, as on the public server. */
export const transferSchema = z.strictObject({
  orcid: orcidField,
  source: databaseField.check(z.describe(fieldTexts.source)),
  destination: databaseField.check(z.describe('Name or ID of the database that receives them.')),
  file_ids: z.array(z.string()).check(z.minLength(1), z.describe('IDs of the files, without duplicates.')),
  description: z.nullable(description).check(z.describe('Purpose of the transfer, in Markdown.')),
  instructions: z.nullable(instructions).check(z.describe('Instructions for processing the files at the destination.')),
});

/** The query of a cancel request (§4.7). */
export const cancelQuerySchema = z.strictObject({
  orcid: orcidField.check(z.describe('The `orcid` with which the transfer was submitted.')),
});

const hex = '[0-9a-fA-F]';
const dashedUuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;
const anyUuid = `(?:[uU][rR][nN]:[uU][uU][iI][dD]:)?${dashedUuid}|\\{${dashedUuid}\\}|${hex}{32}`;

/** A transfer's ID in a path, in any UUID format that the public server accepts. */
export const transferPathSchema = z.strictObject({
  id: z.string().check(
    z.regex(new RegExp(`^(?:${anyUuid})$`)),
    z.meta({
      description:
        'ID of the transfer: a UUID, also accepted without dashes, in braces, in uppercase or as `urn:uuid:…`.',
      format: 'uuid',
    }),
  ),
});

/** The path parameters of a request about a database. */
export const databasePathSchema = z.strictObject({ database: databaseField });

/**
 * A folder or store that a lease serves as a database (D20: folders as databases, D29: shared service, D62: stores
 * through rclone).
 */
const leasedDatabaseSchema = z
  .strictObject({
    name: z.string().check(nonEmptyPattern, z.maxLength(200), z.describe('Name of the database, on one line.')),
    folder: z.optional(z.string().check(z.minLength(1), z.describe('The folder, as an absolute path.'))),
    remote: z.optional(
      z
        .string()
        .check(
          z.minLength(1),
          z.describe('Instead of a folder: a configured rclone remote and a path: `lab:bucket/prefix`.'),
        ),
    ),
    rescanMinutes: z.optional(
      z.number().check(z.gt(0), z.describe('For a store: age in minutes at which a search renews its listing.')),
    ),
    restore: z.optional(restoreSchema),
    organization: z.optional(z.string().check(z.maxLength(200), z.describe('Organization that owns the database.'))),
    readOnly: z.optional(z.boolean().check(z.describe('True if the database refuses transfers to it.'))),
  })
  .check(z.describe('A folder or a store to serve as a database.'));

/** The body of a lease request (D29: shared service). */
export const leaseSchema = z.strictObject({
  databases: z
    .array(leasedDatabaseSchema)
    .check(z.maxLength(1_000), z.describe('The folders and stores to serve during the lease.')),
});

/** The validated body of a lease request. */
export type LeaseRequest = z.infer<typeof leaseSchema>;

/** The query of a stop request (D29: shared service). */
export const stopQuerySchema = z.strictObject({
  replaced: z.optional(
    z
      .enum(['true', 'false'])
      .check(z.meta({ description: '`true` when another service follows immediately.', type: 'string' })),
  ),
});

/** Schemas of request bodies and their named parts, by their names in the OpenAPI document. */
export const requestSchemas = {
  SearchRequest: searchSchema,
  SearchSpecific: specificSchema,
  MetadataRequest: metadataSchema,
  TransferRequest: transferSchema,
  LeaseRequest: leaseSchema,
  LeasedDatabase: leasedDatabaseSchema,
} as const;
