import * as z from 'zod/mini';

/** Describes the root document at the base address of a service (§2.1, D15: tolerant reading). */
export const rootDocumentSchema = z.looseObject({
  name: z.nullish(z.string()),
  version: z.nullish(z.string()),
});

/**
 * The name that the local service reports. Services with this name fill every page except the last (D21: search
 * syntax).
 */
export const localServiceName = 'Data Transfer Local Service';

/**
 * The version of the API that the client and the local service implement, as in `{base}/api/v1` (§9, D27: API version).
 */
export const apiVersion = 1;
