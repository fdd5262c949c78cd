import * as z from 'zod/mini';
import { databaseSchema } from './database.ts';

/** A folder that a lease asks to be served as a database (D20, D29). */
const leasedFolderSchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  /** An absolute path. */
  folder: z.string().check(z.minLength(1)),
  organization: z.optional(z.string().check(z.maxLength(200))),
});

/** What a lease is asked for with: the folders that are served as long as it lasts (D29). */
export const leaseRequestSchema = z.strictObject({
  databases: z.array(leasedFolderSchema).check(z.maxLength(1000)),
});

/** See {@link leaseRequestSchema}. */
export type LeaseRequest = z.infer<typeof leaseRequestSchema>;

/** The first line of the answer to a lease: what is served now for it, in the order asked. */
const leaseGrantSchema = z.strictObject({ databases: z.array(databaseSchema) });

/** A later line: the list of all databases is not as it was, or the service ends in order; `replaced` when another follows it. */
const leaseEventSchema = z.strictObject({ event: z.enum(['databases', 'stopped', 'replaced']) });

/** One line of the answer to a lease, which stays open as long as the lease. */
export const leaseLineSchema = z.union([leaseGrantSchema, leaseEventSchema]);

/** See {@link leaseLineSchema}. */
export type LeaseLine = z.infer<typeof leaseLineSchema>;

/** How the service stands: for those who share it (D29). */
export const serviceStateSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Which process it is, and on which machine. */
  pid: z.int(),
  host: z.string(),
  /** How many leases are held now. */
  leases: z.int(),
  /** How many transfers run, or wait only for their turn. */
  transfers: z.int(),
});

/** See {@link serviceStateSchema}. */
export type ServiceState = z.infer<typeof serviceStateSchema>;
