import * as z from 'zod/mini';

/** The root document that a service answers at its base address (§2.1). Unknown fields are kept (D15). */
export const rootDocumentSchema = z.looseObject({
  name: z.nullish(z.string()),
  version: z.nullish(z.string()),
});

/** The name that our local service reports: a client may count on its pages being exact (D21). */
export const localServiceName = 'Data Transfer Local Service';
