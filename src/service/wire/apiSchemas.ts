import * as z from 'zod/mini';
import {
  createNumberSchemas,
  metadataRequestSchema,
  searchRequestSchema,
  transferRequestSchema,
} from '../../contract/contract.ts';
import { followUpStates, thenField } from '../../core/util/followUp.ts';
import { fileStates, maxFilePage, type FileState } from '../../core/util/fileStates.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';
import { fieldTexts } from '../../core/util/sharedTexts.ts';
import { clusterFields, clusterSchema } from '../cluster/clusterConfig.ts';
import { restoreSchema } from '../stores/storeRestore.ts';

function describe<T extends z.ZodMiniType>(schema: T, description: string, metadata: z.core.GlobalMeta = {}): T {
  return schema.check(z.meta({ description, ...metadata }));
}

function text(description: string, metadata?: z.core.GlobalMeta): z.ZodMiniString {
  return describe(z.string(), description, metadata);
}

function optionalText(description: string, metadata?: z.core.GlobalMeta): z.ZodMiniOptional<z.ZodMiniString> {
  return describe(z.optional(z.string()), description, metadata);
}

function count(description: string): z.ZodMiniNumberFormat {
  return describe(z.int().check(z.gte(0)), description);
}

function optionalCount(description: string): z.ZodMiniOptional<z.ZodMiniNumberFormat> {
  return z.optional(count(description));
}

/** Sort keys for results, default first. */
export const sortKeys = ['relevance', 'path', 'name', 'bytes', 'modified'] as const;

/** The sort directions of a search. */
export const orders = ['asc', 'desc'] as const;

const maxTextLength = 10_000;
const nonEmptyText = z.string().check(z.regex(/\S/));
const databaseField = text('Name or ID of a database.');
const orcidField = describe(nonEmptyText, 'ORCID iD or login name of the requesting person.', {
  examples: ['0000-0002-1825-0097'],
});
const fileIds = z.array(z.string()).check(z.minLength(1));
const textParameter = z.nullish(z.string().check(z.maxLength(maxTextLength)));
const sizeParameter = z.nullish(z.number().check(z.gte(0)));
const instantParameter = textParameter.check(z.refine((value) => !value || !Number.isNaN(Date.parse(value))));

/** Search parameters for this service's databases; null and empty strings count as absent. */
const specificSchema = describe(
  z.strictObject({
    format: describe(textParameter, 'Only files of this format, compressed or not: `csv`.'),
    path: describe(textParameter, 'Only files whose path matches this pattern: `data/*.json`.'),
    folder: describe(
      textParameter,
      'Only files in this folder, at any depth, with exactly this path: `data/exp.zarr`.',
    ),
    minBytes: describe(sizeParameter, 'Only files of at least this size in bytes.'),
    maxBytes: describe(sizeParameter, 'Only files of at most this size in bytes.'),
    modifiedAfter: describe(instantParameter, 'Only files that changed after this date or time.', {
      examples: ['2026-11-20'],
    }),
    sort: describe(z.nullish(z.enum([...sortKeys, ''])), 'Sort key of the results.'),
    order: describe(z.nullish(z.enum([...orders, ''])), 'Applies to every `sort` except `relevance`.'),
  }),
  "Search parameters of this service's databases. Null and empty text count as absent.",
);

/** The database-specific parameters of a search (§4.3). */
export type SearchSpecific = z.infer<typeof specificSchema>;

const queryDescription =
  'Words, all of which must begin a word of the file; `"a phrase"`, `-word`, `format:csv`, `path:data/*.json`, `bytes:>1000000`, `a | b`. Empty: every file.';
const cursorDescription =
  'The `cursor` of a response to the same search: continues after the last file of that response, without repeating or leaving out other files if some have come or gone since.';

/** The body of a search (§4.3), with maximum lengths. Unknown fields are rejected. */
export const searchSchema = z.strictObject({
  ...searchRequestSchema.shape,
  database: databaseField,
  orcid: orcidField,
  query: describe(z.string().check(z.maxLength(maxTextLength)), queryDescription),
  specific: z.optional(specificSchema),
  offset: z.optional(count('0-based number of the first result, counted from the first one or from `cursor`.')),
  cursor: z.optional(text(cursorDescription)),
});

/** The validated body of a search (§4.3). */
export type LocalSearchRequest = z.infer<typeof searchSchema>;

/** The body of a metadata request (D8: metadata by ids). */
export const metadataSchema = z.strictObject({
  ...metadataRequestSchema.shape,
  database: databaseField,
  orcid: orcidField,
  file_ids: describe(fileIds, fieldTexts.fileIds),
});

const { file_ids: ids, ...metadataFields } = metadataSchema.shape;

/** The query of a metadata request (§4.4): that of {@link metadataSchema}, but with comma-separated `ids`. */
export const metadataQuerySchema = z.strictObject({ ...metadataFields, ids });

const { description, instructions } = transferRequestSchema.shape;

/** The body of a submission (§4.5). Optional fields may be null, as on the public server. */
export const transferSchema = z.strictObject({
  orcid: orcidField,
  source: describe(databaseField, fieldTexts.source),
  destination: describe(databaseField, 'Name or ID of the database that receives them.'),
  file_ids: describe(fileIds, 'IDs of the files, without duplicates.'),
  description: describe(z.nullable(description), 'Purpose of the transfer, in Markdown.'),
  instructions: describe(
    z.nullable(instructions),
    'Instructions for processing the files at the destination. `folder` names the folder that they get there. `then` names what to start once after the transfer: `{"sbatch": path}` submits a job script to Slurm, `{"program": path}` starts a program.',
  ),
});

/** The query of a request to cancel (§4.7), pause or resume a transfer. */
export const ownerQuerySchema = z.strictObject({
  orcid: describe(orcidField, 'The `orcid` with which the transfer was submitted.'),
});

const hex = '[0-9a-fA-F]';
const dashedUuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;
const anyUuid = `(?:[uU][rR][nN]:[uU][uU][iI][dD]:)?${dashedUuid}|\\{${dashedUuid}\\}|${hex}{32}`;

/** A transfer's ID in a path, in any UUID format that the public server accepts. */
export const transferPathSchema = z.strictObject({
  id: describe(
    z.string().check(z.regex(new RegExp(`^(?:${anyUuid})$`))),
    'ID of the transfer: a UUID, also accepted without dashes, in braces, in uppercase or as `urn:uuid:…`.',
    { format: 'uuid' },
  ),
});

const fileState = describe(
  z.enum(fileStates),
  '`waiting`, or `staged` once its content was hashed; `transferring`; `transferred`; `failed`, after the end, with the `problem`; `unfinished`: the transfer ended before it was transferred, or even begun.',
);

/** The query of a request for a transfer's files (D71: file states). */
export const fileStatesQuerySchema = z.strictObject({
  state: z.optional(describe(z.enum(fileStates), 'Only files in this state.', { type: 'string' })),
  limit: z.optional(
    describe(
      z.int().check(z.gte(1), z.lte(maxFilePage)),
      `Maximum number of files to return; ${maxFilePage} if absent.`,
    ),
  ),
  cursor: z.optional(
    describe(z.string().check(z.regex(/^\d{1,15}$/)), 'The `cursor` of the previous page of the same list.'),
  ),
});

/** The path parameters of a request about a database. */
export const databasePathSchema = z.strictObject({ database: databaseField });

/** The query of a request for the content of a file. */
export const contentQuerySchema = z.strictObject({ id: text('ID of the file.') });

/** The headers of a request for the content of a file. */
export const contentHeadersSchema = z.strictObject({
  Range: text('One range of bytes.', { examples: ['bytes=0-65535', 'bytes=-8'] }),
  'If-Match': optionalText('The entity tags of the versions of the file that may be read.'),
});

const shortText = z.string().check(z.maxLength(200));
const fullText = z.string().check(z.minLength(1));

/** A database of a lease (D20: folders as databases, D29: shared service, D62: stores through rclone). */
const leasedDatabaseSchema = describe(
  z.strictObject({
    name: describe(nonEmptyText.check(z.maxLength(200)), 'Name of the database, on one line.'),
    folder: z.optional(describe(fullText, 'The folder, as an absolute path.')),
    remote: z.optional(
      describe(fullText, 'Instead of a folder: a configured rclone remote and a path: `lab:bucket/prefix`.'),
    ),
    rescanMinutes: z.optional(
      describe(z.number().check(z.gt(0)), 'For a store: age in minutes at which a search renews its listing.'),
    ),
    restore: z.optional(restoreSchema),
    organization: z.optional(describe(shortText, 'Organization that owns the database.')),
    readOnly: z.optional(describe(z.boolean(), 'True if the database refuses transfers to it.')),
  }),
  'A folder or a store to serve as a database.',
);

/** The body of a lease request (D29: shared service). */
export const leaseSchema = z.strictObject({
  databases: describe(
    z.array(leasedDatabaseSchema).check(z.maxLength(1_000)),
    'The folders and stores to serve during the lease.',
  ),
  cluster: z.optional(
    describe(
      z.nullable(clusterSchema),
      'The cluster for new transfers, also after the lease; `null`: none; absent: no change.',
    ),
  ),
});

/** The validated body of a lease request. */
export type LeaseRequest = z.infer<typeof leaseSchema>;

/** The query of a stop request (D29: shared service). */
export const stopQuerySchema = z.strictObject({
  replaced: z.optional(
    describe(z.enum(['true', 'false']), '`true` when another service follows immediately.', { type: 'string' }),
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
  ClusterConfig: clusterSchema,
} as const;

const transferId = describe(z.guid(), 'ID of the transfer: a UUID.');

const leftOut = describe(
  z.strictObject({
    hidden: optionalCount(
      'Names with a leading dot, except those that data formats prescribe; a folder counts as one.',
    ),
    unreadable: optionalCount('Folders and links that cannot be read.'),
    missingContent: optionalCount('Links to something that does not exist.'),
    outsideLinks: optionalCount('Links to a place outside the folder.'),
    folderLinks: optionalCount('Links to folders, which are not followed.'),
    invalidNames: optionalCount('Names that are not valid Unicode or not valid for files.'),
    specialFiles: optionalCount('Special files, such as pipes.'),
    unknownSizes: optionalCount('Objects whose size the store does not report.'),
  } satisfies Record<LeftOutKind, z.ZodMiniType>),
  'The number of names that are not served, by reason; without zeros.',
);

const listing = describe(
  z.strictObject({
    state: describe(z.enum(['scanning', 'listed', 'failed']), '`failed`: the last scan failed.'),
    files: count('Number of its files.'),
    scanned: z.optional(count('Number of files that the running scan has found so far.')),
    asOf: z.optional(text('Start of the last complete scan.', { format: 'date-time' })),
    freeBytes: z.optional(count('Number of free bytes, if the store reports it.')),
    leftOut: z.optional(leftOut),
    problem: optionalText('Why the last scan failed; the files of the previous one remain.'),
  }),
  'The state of the listing of a store; for a folder, only while searches wait for its scan, or if it leaves something out.',
);

/** The state of a store's listing or, while searches wait for it, of a folder's scan (D62: stores through rclone). */
export type StoreListingState = z.infer<typeof listing>;

const { tasks, partition, minBytes, minFiles } = clusterFields;
const clusterPlace = { tasks, partition: z.optional(partition) };

const clusterOffer = describe(
  z.strictObject({ ...clusterPlace, minBytes, minFiles }),
  'The cluster for transfers between databases with this field.',
);

/** A database (§2.2). */
const database = describe(
  z.strictObject({
    id: text('ID; can be used instead of the name.'),
    name: text('Name, for `database`, `source` and `destination`.'),
    organization: text('Organization that owns it; may be empty.'),
    url: text('Address of its folder or its remote.', { format: 'uri' }),
    readOnly: z.optional(describe(z.literal(true), 'True if the database refuses transfers to it; absent otherwise.')),
    listing: z.optional(listing),
    cluster: z.optional(clusterOffer),
  }),
  'A database: a folder, or a store accessed through rclone.',
);

/** A file as a data resource (§2.3, D20: folders as databases), with fields of its package or store. */
const file = describe(
  z.looseObject({
    id: text('ID of the file within its database; contains no comma.'),
    name: text('Short name.', { pattern: '^[-a-z0-9._/]+$' }),
    path: text('Path within the database, with `/` as the separator.'),
    title: text('Display name.'),
    description: optionalText('Description in Markdown.'),
    format: optionalText('Format, such as `csv`: from its metadata, otherwise from its file extension.'),
    mediatype: text('Media type.'),
    encoding: optionalText('Character encoding.'),
    bytes: count('Size in bytes.'),
    hash: optionalText('`algorithm:hex`, or hex only for MD5.'),
    modified: optionalText('Time of its last change.', { format: 'date-time' }),
  }),
  'A file: a data resource of the Data Package standard.',
);

const fileList = {
  database: text('Name of the database.'),
  resources: describe(z.array(file), 'The files, in order.'),
};

const leaseGrant = describe(
  z.strictObject({ databases: describe(z.array(database), 'The databases of this lease, in the requested order.') }),
  'The first line: the databases.',
);

const leaseEventDescription =
  '`databases`: the list of all databases has changed. `stopped`, `replaced`: the service stops cleanly; with `replaced`, another one follows immediately.';

const leaseEvent = describe(
  z.strictObject({ event: describe(z.enum(['databases', 'stopped', 'replaced']), leaseEventDescription) }),
  'A later line: a change.',
);

/** One line of the response to a lease request (D29: shared service). */
const leaseLine = describe(z.union([leaseGrant, leaseEvent]), 'One line of a response that stays open.');

/** A line of the response to a lease request. */
export type LeaseLine = z.infer<typeof leaseLine>;

/** The service's process and usage (D29: shared service). */
const serviceState = z.strictObject({
  name: text('Name of the service.'),
  version: text('Version of the service.'),
  pid: describe(z.int(), 'ID of its process.'),
  host: text('Name of the machine that it runs on.'),
  leases: count('Number of active leases.'),
  transfers: count('Number of running and queued transfers.'),
});

/** The service's process and usage. */
export type ServiceState = z.infer<typeof serviceState>;

const searchParameter = z.strictObject({
  type: text('`string`, `number`, or `array(string)`: one of the strings in `value`.'),
  value: describe(z.unknown(), 'The default value, or the list of allowed values.'),
});

const stateDescription =
  '`staging`, `active`, `finalizing`, `succeeded` follow each other; `inactive` means that the transfer is waiting and will resume automatically, unless it is `paused`.';

const followUp = describe(
  z.strictObject({
    sbatch: optionalText('Path of the job script.'),
    program: optionalText('Path of the program.'),
    state: describe(
      z.enum(followUpStates),
      '`waiting` for the end of the transfer, or for Slurm; `started`: a program, whose end may not be known; `unclear`: it may have been started, and is not started again.',
    ),
    job: optionalText('ID of the job.'),
    exitCode: z.optional(describe(z.int(), 'Exit code of a program that has ended.')),
    output: optionalText('File with the output of a program.'),
    problem: optionalText('Why it was not started, waits for Slurm, or ended without an exit code.'),
  }),
  'What follows the transfer.',
);

/** A transfer's status (§2.4, D23: transfer states). */
const transferStatus = z.strictObject({
  id: transferId,
  status: describe(z.enum(['staging', 'active', 'finalizing', 'inactive', 'succeeded', 'failed']), stateDescription),
  message: text('Current activity, or the reason for the end; begins with `Transfer` and the ID.'),
  paused: z.optional(
    describe(z.boolean(), 'True until the transfer is resumed on request; absent after its end or a cancel request.'),
  ),
  cluster: z.optional(describe(z.strictObject(clusterPlace), 'The cluster on which it runs; absent after the end.')),
  ...createNumberSchemas(count),
  folder: optionalText('The chosen name of the folder at the destination.'),
  num_bytes: z.optional(
    count('Size of all files. The counts of bytes are absent if unknown, and after the end of the transfer.'),
  ),
  num_bytes_staged: z.optional(count('Number of bytes read and hashed at the source; absent for a store.')),
  num_bytes_transferred: z.optional(count('Number of bytes copied, including those of files not yet verified.')),
  num_bytes_verified: z.optional(count('Number of bytes of copies that were verified or read back.')),
  [thenField]: z.optional(followUp),
});

const transferFile = describe(
  z.strictObject({
    position: count('0-based index in the `file_ids` of the submission.'),
    id: text('ID of the file in the source.'),
    path: text('Path of the file in the source, and in the folder of the transfer.'),
    state: fileState,
    bytes: count('Size in bytes.'),
    failedAttempts: optionalCount('Number of attempts that failed; absent if none did.'),
    problem: optionalText('Why the last attempt failed; absent if it did not.'),
  }),
  'A file of a transfer.',
);

const fileCounts = describe(
  z.strictObject({
    failed: optionalCount('Files that failed.'),
    transferring: optionalCount('Files that are being transferred.'),
    staged: optionalCount('Files whose content was hashed.'),
    waiting: optionalCount('Files that wait.'),
    unfinished: optionalCount('Files that were not transferred when the transfer ended.'),
    transferred: optionalCount('Files at the destination.'),
  } satisfies Record<FileState, z.ZodMiniType>),
  'The number of files in each state, without zeros; of all files, whatever the query selects.',
);

const locationExamples = ['body.offset', 'body.file_ids.3', 'query.ids', 'path.id'];

const fieldProblem = z.strictObject({
  message: text('Description of the problem and the expected value.'),
  location: text('Location in the request.', { examples: locationExamples }),
});

const problem = describe(
  z.strictObject({
    title: text('Reason phrase of the HTTP status code, such as `Not Found`.'),
    status: describe(z.int().check(z.gte(400), z.lte(599)), 'HTTP status code of the response.'),
    detail: text('Description of the problem, in a sentence.'),
    errors: z.optional(describe(z.array(fieldProblem), 'The invalid fields, up to about two hundred.')),
    listing: z.optional(listing),
  }),
  'A problem document as defined in RFC 9457, with the invalid fields.',
);

/** Schemas of response bodies and their named parts, by their names in the OpenAPI document. */
export const responseSchemas = {
  Root: z.strictObject({
    name: text('Name of the service.'),
    version: text('Version of the service.'),
    features: describe(z.array(z.string()), 'What the service can do besides the contract.'),
  }),
  Health: z.strictObject({
    status: describe(z.literal('ready'), 'Always `ready`; otherwise the service responds with 503.'),
  }),
  Database: database,
  StoreListing: listing,
  LeftOut: leftOut,
  DatabaseList: describe(z.array(database), 'All databases.'),
  SearchParameters: describe(z.record(z.string(), searchParameter), 'Search parameters, keyed by name.'),
  File: file,
  FileList: z.strictObject({ ...fileList, listing: z.optional(listing) }),
  SearchResult: z.strictObject({
    ...fileList,
    cursor: optionalText('Position after the last file, to continue from; absent if there are no more files.'),
    leftOut: z.optional(leftOut),
    listing: z.optional(listing),
  }),
  TransferAccepted: z.strictObject({ id: transferId }),
  TransferStatus: transferStatus,
  FollowUp: followUp,
  TransferFile: transferFile,
  TransferFileCounts: fileCounts,
  TransferFileList: z.strictObject({
    files: describe(z.array(transferFile), 'The files, in the order of the submission.'),
    counts: fileCounts,
    cursor: optionalText('Continues the list; absent if there are no more files.'),
  }),
  LeaseLine: leaseLine,
  LeaseGrant: leaseGrant,
  LeaseEvent: leaseEvent,
  ServiceState: serviceState,
  /** Covers only the parts of the document that the response tests need. */
  OpenApiDocument: describe(
    z.looseObject({
      openapi: text('Version of OpenAPI.'),
      info: z.looseObject({ title: z.string(), version: z.string() }),
      paths: z.record(z.string(), z.unknown()),
    }),
    'An OpenAPI document.',
  ),
  Problem: problem,
} as const;
