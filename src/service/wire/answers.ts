import * as z from 'zod/mini';

/** The root document (§2.1). */
export const rootAnswer = z.strictObject({
  name: z.string().check(z.describe('Name of the service.')),
  version: z.string().check(z.describe('Version of the service.')),
});

/** The readiness of the service (D40). */
export const healthAnswer = z.strictObject({
  status: z.literal('ready').check(z.describe('Always `ready`: a service that is not answers 503.')),
});

/** A database (§2.2). */
export const databaseAnswer = z
  .strictObject({
    id: z.string().check(z.describe('Id: may stand wherever the name may.')),
    name: z.string().check(z.describe('Name: what `database`, `source` and `destination` carry.')),
    organization: z.string().check(z.describe('Organization that holds it; may be empty.')),
    url: z.string().check(z.meta({ description: 'Address of its folder.', format: 'uri' })),
    readOnly: z.optional(z.literal(true).check(z.describe('Nothing can be transferred to it; absent where it can.'))),
  })
  .check(z.describe('A database: a folder.'));

/** The listing of databases (§4.2). */
export const databasesAnswer = z.array(databaseAnswer).check(z.describe('All databases.'));

/** What may stand in `specific` of a search (D26). */
export const searchParametersAnswer = z
  .record(
    z.string(),
    z.strictObject({
      type: z.string().check(z.describe('`string`, `number`, or `array(string)`: one of the texts in `value`.')),
      value: z.unknown().check(z.describe('The value that counts when none is given, or the list of those allowed.')),
    }),
  )
  .check(z.describe('Search parameters by their names.'));

const textField = z.optional(z.string());

/** A file (§2.3, D20): a data resource. What a Data Package says of it beyond these fields is there too. */
export const fileAnswer = z
  .looseObject({
    id: z.string().check(z.describe('Id of the file within its database; holds no comma.')),
    name: z.string().check(z.meta({ description: 'Short name.', pattern: '^[-a-z0-9._/]+$' })),
    path: z.string().check(z.describe('Path within the database, parted by `/`.')),
    title: z.string().check(z.describe('Name for people.')),
    description: textField.check(z.describe('What it is, in Markdown.')),
    format: textField.check(z.describe('Format, as its suffix tells it: `csv`.')),
    mediatype: z.string().check(z.describe('Media type.')),
    encoding: textField.check(z.describe('Encoding of its characters.')),
    bytes: z.int().check(z.gte(0), z.describe('Size in bytes.')),
    hash: textField.check(z.describe('`algorithm:hex`, or hex alone for MD5.')),
    modified: textField.check(z.meta({ description: 'When it last changed.', format: 'date-time' })),
  })
  .check(z.describe('A file: a data resource of the Data Package standard.'));

/** The answer of a search and of a metadata request (§4.3, §4.4). */
export const filesAnswer = z.strictObject({
  database: z.string().check(z.describe('Name of the database.')),
  resources: z.array(fileAnswer).check(z.describe('The files, in their order.')),
});

/** The answer to a submission (§4.5). */
export const acceptedAnswer = z.strictObject({ id: z.guid().check(z.describe('Id of the transfer: a UUID.')) });

/** A transfer's status (§2.4, D23). */
export const statusAnswer = z.strictObject({
  id: z.guid().check(z.describe('Id of the transfer: a UUID.')),
  status: z
    .enum(['staging', 'active', 'finalizing', 'inactive', 'succeeded', 'failed'])
    .check(
      z.describe('`staging`, `active`, `finalizing`, `succeeded` follow each other; `inactive` waits for a folder.'),
    ),
  message: z.string().check(z.describe('What it does, or why it ended; begins with `Transfer` and the id.')),
  num_files: z.int().check(z.gte(0), z.describe('How many files it has.')),
  num_files_transferred: z.int().check(z.gte(0), z.describe('How many of them are at the destination.')),
});

/** A problem document (D26). */
export const problemAnswer = z
  .strictObject({
    title: z.string().check(z.describe('What the status means.')),
    status: z.int().check(z.gte(400), z.lte(599), z.describe('The status of the answer.')),
    detail: z.string().check(z.describe('What is wrong, in a sentence.')),
    errors: z.optional(
      z
        .array(
          z.strictObject({
            message: z.string().check(z.describe('What is wrong there, and what is wanted.')),
            location: z.string().check(
              z.meta({
                description: 'Where in the request.',
                examples: ['body.offset', 'body.file_ids.3', 'query.ids', 'path.id'],
              }),
            ),
          }),
        )
        .check(z.describe('Each wrong field, at most a hundred.')),
    ),
  })
  .check(z.describe('A problem document of RFC 9457, with the wrong fields.'));

/** The OpenAPI document, as far as its own schema goes. */
export const openApiAnswer = z
  .looseObject({
    openapi: z.string().check(z.describe('Version of OpenAPI.')),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  })
  .check(z.describe('An OpenAPI document.'));
