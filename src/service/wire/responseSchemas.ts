import * as z from 'zod/mini';

function text(description: string): z.ZodMiniString {
  return z.string().check(z.describe(description));
}

function count(description: string): z.ZodMiniNumberFormat {
  return z.int().check(z.gte(0), z.describe(description));
}

const optionalText = z.optional(z.string());
const transferId = z.guid().check(z.describe('ID of the transfer: a UUID.'));

const listing = z
  .strictObject({
    state: z.enum(['scanning', 'listed', 'failed']).check(z.describe('`failed`: the last scan failed.')),
    files: count('Number of its files.'),
    scanned: z.optional(count('Number of files that the running scan has found so far.')),
    asOf: z.optional(
      z.string().check(z.meta({ description: 'Start of the last complete scan.', format: 'date-time' })),
    ),
    freeBytes: z.optional(count('Number of free bytes, if the store reports it.')),
    problem: optionalText.check(z.describe('Why the last scan failed; the files of the previous one remain.')),
  })
  .check(z.describe('The state of the listing of a store; for a folder, only while searches wait for its scan.'));

/** The state of a store's listing or, while searches wait for it, of a folder's scan (D62: stores through rclone). */
export type StoreListingState = z.infer<typeof listing>;

/** A database (§2.2). */
const database = z
  .strictObject({
    id: text('ID; can be used instead of the name.'),
    name: text('Name, for `database`, `source` and `destination`.'),
    organization: text('Organization that owns it; may be empty.'),
    url: z.string().check(z.meta({ description: 'Address of its folder or its remote.', format: 'uri' })),
    readOnly: z.optional(
      z.literal(true).check(z.describe('True if the database refuses transfers to it; absent otherwise.')),
    ),
    listing: z.optional(listing),
  })
  .check(z.describe('A database: a folder, or a store accessed through rclone.'));

/**
 * A file as a data resource (§2.3, D20: folders as databases), with additional fields from its Data Package or store.
 */
const file = z
  .looseObject({
    id: text('ID of the file within its database; contains no comma.'),
    name: z.string().check(z.meta({ description: 'Short name.', pattern: '^[-a-z0-9._/]+$' })),
    path: text('Path within the database, with `/` as the separator.'),
    title: text('Display name.'),
    description: optionalText.check(z.describe('Description in Markdown.')),
    format: optionalText.check(
      z.describe('Format, such as `csv`: from its metadata, otherwise from its file extension.'),
    ),
    mediatype: text('Media type.'),
    encoding: optionalText.check(z.describe('Character encoding.')),
    bytes: count('Size in bytes.'),
    hash: optionalText.check(z.describe('`algorithm:hex`, or hex only for MD5.')),
    modified: optionalText.check(z.meta({ description: 'Time of its last change.', format: 'date-time' })),
  })
  .check(z.describe('A file: a data resource of the Data Package standard.'));

const fileList = {
  database: text('Name of the database.'),
  resources: z.array(file).check(z.describe('The files, in order.')),
};

const leaseGrant = z
  .strictObject({
    databases: z.array(database).check(z.describe('The databases of this lease, in the requested order.')),
  })
  .check(z.describe('The first line: the databases.'));

const leaseEventDescription =
  '`databases`: the list of all databases has changed. `stopped`, `replaced`: the service stops cleanly; with `replaced`, another one follows immediately.';

const leaseEvent = z
  .strictObject({
    event: z.enum(['databases', 'stopped', 'replaced']).check(z.describe(leaseEventDescription)),
  })
  .check(z.describe('A later line: a change.'));

/** One line of the response to a lease request (D29: shared service). */
const leaseLine = z.union([leaseGrant, leaseEvent]).check(z.describe('One line of a response that stays open.'));

/** A line of the response to a lease request. */
export type LeaseLine = z.infer<typeof leaseLine>;

/** The service's process and usage (D29: shared service). */
const serviceState = z.strictObject({
  name: text('Name of the service.'),
  version: text('Version of the service.'),
  pid: z.int().check(z.describe('ID of its process.')),
  host: text('Name of the machine that it runs on.'),
  leases: count('Number of active leases.'),
  transfers: count('Number of running and queued transfers.'),
});

/** The service's process and usage. */
export type ServiceState = z.infer<typeof serviceState>;

const searchParameter = z.strictObject({
  type: text('`string`, `number`, or `array(string)`: one of the strings in `value`.'),
  value: z.unknown().check(z.describe('The default value, or the list of allowed values.')),
});

/** A transfer's status (§2.4, D23: transfer states). */
const transferStatus = z.strictObject({
  id: transferId,
  status: z
    .enum(['staging', 'active', 'finalizing', 'inactive', 'succeeded', 'failed'])
    .check(
      z.describe(
        '`staging`, `active`, `finalizing`, `succeeded` follow each other; `inactive` means that the transfer is waiting and will resume automatically.',
      ),
    ),
  message: text('Current activity, or the reason for the end; begins with `Transfer` and the ID.'),
  num_files: count('Number of its files.'),
  num_files_transferred: count('Number of files at the destination.'),
  num_bytes: z.optional(
    count('Size of all files. The counts of bytes are absent if unknown, and after the end of the transfer.'),
  ),
  num_bytes_staged: z.optional(count('Number of bytes read and hashed at the source; absent for a store.')),
  num_bytes_transferred: z.optional(count('Number of bytes copied, including those of files not yet verified.')),
  num_bytes_verified: z.optional(count('Number of bytes of copies that were verified or read back.')),
});

const locationExamples = ['body.offset', 'body.file_ids.3', 'query.ids', 'path.id'];

const fieldProblem = z.strictObject({
  message: text('Description of the problem and the expected value.'),
  location: z.string().check(z.meta({ description: 'Location in the request.', examples: locationExamples })),
});

const problem = z
  .strictObject({
    title: text('Reason phrase of the HTTP status code, such as `Not Found`.'),
    status: z.int().check(z.gte(400), z.lte(599), z.describe('HTTP status code of the response.')),
    detail: text('Description of the problem, in a sentence.'),
    errors: z.optional(z.array(fieldProblem).check(z.describe('The invalid fields, up to about two hundred.'))),
  })
  .check(z.describe('A problem document as defined in RFC 9457, with the invalid fields.'));

/** Schemas of response bodies and their named parts, by their names in the OpenAPI document. */
export const responseSchemas = {
  Root: z.strictObject({ name: text('Name of the service.'), version: text('Version of the service.') }),
  Health: z.strictObject({
    status: z.literal('ready').check(z.describe('Always `ready`; otherwise the service responds with 503.')),
  }),
  Database: database,
  StoreListing: listing,
  DatabaseList: z.array(database).check(z.describe('All databases.')),
  SearchParameters: z.record(z.string(), searchParameter).check(z.describe('Search parameters, keyed by name.')),
  File: file,
  FileList: z.strictObject(fileList),
  SearchResult: z.strictObject({
    ...fileList,
    cursor: optionalText.check(
      z.describe('Position after the last file, to continue from; absent if there are no more files.'),
    ),
  }),
  TransferAccepted: z.strictObject({ id: transferId }),
  TransferStatus: transferStatus,
  LeaseLine: leaseLine,
  LeaseGrant: leaseGrant,
  LeaseEvent: leaseEvent,
  ServiceState: serviceState,
  /** Covers only the parts of the document that the response tests need. */
  OpenApiDocument: z
    .looseObject({
      openapi: text('Version of OpenAPI.'),
      info: z.looseObject({ title: z.string(), version: z.string() }),
      paths: z.record(z.string(), z.unknown()),
    })
    .check(z.describe('An OpenAPI document.')),
  Problem: problem,
} as const;
