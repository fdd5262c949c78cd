import type * as z from 'zod/mini';

/**
 * Validates a value with a schema. Returns undefined if the value has so many errors, about 100,000, that zod overflows
 * the stack when it collects them.
 */
export function validate<T extends z.ZodMiniType>(schema: T, value: unknown): ReturnType<T['safeParse']> | undefined {
  try {
    return schema.safeParse(value) as ReturnType<T['safeParse']>;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
