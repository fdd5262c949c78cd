import * as z from 'zod/mini';
import { metadataRequestSchema } from '../../contract/metadata.ts';
import { searchRequestSchema } from '../../contract/search.ts';
import { transferRequestSchema } from '../../contract/transfer.ts';
import { uuidPattern } from './uuid.ts';

/** What results can be ordered by, the usual first. */
export const sortKeys = ['relevance', 'path', 'name', 'bytes', 'modified'] as const;

/** The directions of an order. */
export const orders = ['asc', 'desc'] as const;

const longestText = 10_000;
const notEmpty = z.regex(/\S/);

const databaseField = z.string().check(z.describe('Name or id of a database.'));
const orcidField = z
  .string()
  .check(notEmpty, z.meta({ description: 'ORCID iD of the person who asks.', examples: ['0000-0002-1825-0097'] }));

const textParameter = z.nullish(z.string().check(z.maxLength(longestText)));
const sizeParameter = z.nullish(z.number().check(z.gte(0)));

function isNoTextOrInstant(value: string | null | undefined): boolean {
  return value === undefined || value === null || value === '' || !Number.isNaN(Date.parse(value));
}

/** The search parameters of this service's databases; null and empty text mean that one is not given. */
export const specificSchema = z
  .strictObject({
    format: textParameter.check(z.describe('Only files of this format: `csv`.')),
    path: textParameter.check(z.describe('Only files whose path fits this pattern: `data/*.json`.')),
    minBytes: sizeParameter.check(z.describe('Only files of at least this size in bytes.')),
    maxBytes: sizeParameter.check(z.describe('Only files of at most this size in bytes.')),
    modifiedAfter: textParameter.check(
      z.refine(isNoTextOrInstant),
      z.meta({ description: 'Only files that changed after this date or instant.', examples: ['2026-11-20'] }),
    ),
    sort: z.nullish(z.enum([...sortKeys, ''])).check(z.describe('What the results are ordered by.')),
    order: z.nullish(z.enum([...orders, ''])).check(z.describe('Counts for every `sort` but `relevance`.')),
  })
  .check(z.describe('Search parameters of the databases of this service. Null and empty text: not given.'));

/** See {@link specificSchema}. */
export type SearchSpecific = z.infer<typeof specificSchema>;

/** The body of a search (§4.3), as this service takes it: no other fields, and nothing without bounds. */
export const searchSchema = z.strictObject({
  ...searchRequestSchema.shape,
  database: databaseField,
  orcid: orcidField,
  query: z
    .string()
    .check(
      z.maxLength(longestText),
      z.describe(
        'Words, all of which must begin a word of the file; `"a phrase"`, `-word`, `format:csv`, `path:data/*.json`, `bytes:>1000000`, `a | b`. Empty: every file.',
      ),
    ),
  specific: z.optional(specificSchema),
});

/** See {@link searchSchema}. */
export type LocalSearchRequest = z.infer<typeof searchSchema>;

/** The body of a metadata request (D8). */
export const metadataSchema = z.strictObject({
  ...metadataRequestSchema.shape,
  database: databaseField,
  orcid: orcidField,
});

const { file_ids: ids, ...metadataFields } = metadataSchema.shape;

/** The query of a metadata request (§4.4): the same fields, the ids joined by commas. */
export const metadataQuerySchema = z.strictObject({ ...metadataFields, ids });

const { description, instructions } = transferRequestSchema.shape;

/** The body of a submission (§4.5). The optional fields may be null, as the public server takes them (D26). */
export const transferSchema = z.strictObject({
  orcid: orcidField,
  source: databaseField.check(z.describe('Name or id of the database that holds the files.')),
  destination: databaseField.check(z.describe('Name or id of the database that gets them.')),
  file_ids: z.array(z.string()).check(z.minLength(1), z.describe('Ids of the files, each once.')),
  description: z.nullable(description).check(z.describe('What the transfer is for: Markdown, for people.')),
  instructions: z.nullable(instructions).check(z.describe('For whatever processes the files at the destination.')),
});

/** The query of a cancel (§4.7). */
export const cancelQuerySchema = z.strictObject({
  orcid: orcidField.check(z.describe('ORCID iD of the person who submitted the transfer.')),
});

/** The id of a transfer in a path, in any form of a UUID. */
export const transferPathSchema = z.strictObject({
  id: z.string().check(
    z.regex(uuidPattern),
    z.meta({
      description: 'Id of the transfer: a UUID; without dashes, in braces, as `urn:uuid:…` or in capitals too.',
      format: 'uuid',
    }),
  ),
});

/** A database in a path. */
export const databasePathSchema = z.strictObject({ database: databaseField });
