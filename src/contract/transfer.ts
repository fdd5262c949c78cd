import * as z from 'zod/mini';
import { hasFields } from './quickCheck.ts';

/** The body of `POST transfers` (§4.5). Empty optional fields are left out by the client. */
export const transferRequestSchema = z.looseObject({
  orcid: z.string().check(z.describe('ORCID iD of the person who asks; only this person can cancel the transfer.')),
  source: z.string().check(z.describe('Name of the database that holds the files.')),
  destination: z.string().check(z.describe('Name of the database that gets them.')),
  file_ids: z.array(z.string()).check(z.describe('Ids of the files, each once.')),
  description: z.optional(z.string().check(z.describe('What the transfer is for: Markdown, for people.'))),
  instructions: z.optional(
    z.record(z.string(), z.unknown()).check(z.describe('For whatever processes the files at the destination.')),
  ),
});

/** See {@link transferRequestSchema}. */
export type TransferRequest = z.infer<typeof transferRequestSchema>;

/** The answer to a submission (§4.5). */
export const transferAcceptedSchema = z.looseObject({ id: z.string() });

/** A transfer's status (§2.4). `status` is an open set (D10); every field may be absent or null. */
export const transferStatusSchema = z.looseObject({
  id: z.nullish(z.string()),
  status: z.nullish(z.string()),
  message: z.nullish(z.string()),
  num_files: z.nullish(z.number()),
  num_files_transferred: z.nullish(z.number()),
});

/** See {@link transferStatusSchema}. */
export type TransferStatusDocument = z.infer<typeof transferStatusSchema>;

const statusFields = { texts: ['id', 'status', 'message'], numbers: ['num_files', 'num_files_transferred'] } as const;

/** Whether a value is what {@link transferStatusSchema} describes, without the schema: it is asked for very often. */
export function isTransferStatus(value: unknown): value is TransferStatusDocument {
  return hasFields(value, statusFields);
}
