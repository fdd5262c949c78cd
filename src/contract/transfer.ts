import * as z from 'zod/mini';
import { hasFields } from './fieldCheck.ts';

/** Describes the body of `POST transfers` (§4.5). The client omits empty optional fields. The service describes
 * the fields (`src/service/wire/requestSchemas.ts`). */
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

/**
 * Describes a transfer's status (§2.4). Servers may use values of `status` that the contract doesn't define (D10: open
 * status set).
 */
export const transferStatusSchema = z.looseObject({
  id: z.nullish(z.string()),
  status: z.nullish(z.string()),
  message: z.nullish(z.string()),
  num_files: z.nullish(z.number()),
  num_files_transferred: z.nullish(z.number()),
});

/** The status of a transfer (§2.4). */
export type TransferStatusDocument = z.infer<typeof transferStatusSchema>;

const statusFields = { texts: ['id', 'status', 'message'], numbers: ['num_files', 'num_files_transferred'] } as const;

/**
 * Returns true if `value` is a {@link TransferStatusDocument}. Used for polling, because validating against the
 * schema is slower.
 */
export function isTransferStatus(value: unknown): value is TransferStatusDocument {
  return hasFields(value, statusFields);
}
