import * as z from 'zod/mini';
import { databaseAnswer } from './answers.ts';

const notEmpty = z.regex(/\S/);

/** A folder that a lease asks to be served as a database (D20, D29). */
export const leasedFolderSchema = z
  .strictObject({
    name: z.string().check(notEmpty, z.maxLength(200), z.describe('Name of the database, in one line.')),
    folder: z.string().check(z.minLength(1), z.describe('The folder, as an absolute path.')),
    organization: z.optional(z.string().check(z.maxLength(200), z.describe('Who holds the database.'))),
    readOnly: z.optional(z.boolean().check(z.describe('Whether transfers to it are refused.'))),
  })
  .check(z.describe('A folder that is to be served as a database.'));

/** What a lease is asked for with (D29). */
export const leaseSchema = z.strictObject({
  databases: z
    .array(leasedFolderSchema)
    .check(z.maxLength(1_000), z.describe('The folders to serve as long as the lease lasts.')),
});

/** See {@link leaseSchema}. */
export type LeaseRequest = z.infer<typeof leaseSchema>;

/** The first line of the answer to a lease. */
export const leaseGrantAnswer = z
  .strictObject({
    databases: z.array(databaseAnswer).check(z.describe('What is served now for this lease, in the order asked.')),
  })
  .check(z.describe('The first line: what is served.'));

/** A later line. */
export const leaseEventAnswer = z
  .strictObject({
    event: z
      .enum(['databases', 'stopped', 'replaced'])
      .check(
        z.describe(
          '`databases`: the list of all databases is not as it was. `stopped`, `replaced`: the service ends in order, and with `replaced` another follows at once.',
        ),
      ),
  })
  .check(z.describe('A later line: what has changed.'));

/** One line of the answer to a lease, which stays open as long as the lease. */
export const leaseLineAnswer = z
  .union([leaseGrantAnswer, leaseEventAnswer])
  .check(z.describe('One line of an answer that stays open.'));

/** See {@link leaseLineAnswer}. */
export type LeaseLine = z.infer<typeof leaseLineAnswer>;

/** How the service stands: for those who share it (D29). */
export const serviceStateAnswer = z.strictObject({
  name: z.string().check(z.describe('Name of the service.')),
  version: z.string().check(z.describe('Version of the service.')),
  pid: z.int().check(z.describe('Id of its process.')),
  host: z.string().check(z.describe('Name of the machine that it runs on.')),
  leases: z.int().check(z.gte(0), z.describe('How many leases are held.')),
  transfers: z.int().check(z.gte(0), z.describe('How many transfers run, or wait only for their turn.')),
});

/** See {@link serviceStateAnswer}. */
export type ServiceState = z.infer<typeof serviceStateAnswer>;

/** The query of a stop (D29). */
export const stopQuerySchema = z.strictObject({
  replaced: z.optional(
    z
      .enum(['true', 'false'])
      .check(z.meta({ description: 'Whether another service takes its place at once.', type: 'string' })),
  ),
});
