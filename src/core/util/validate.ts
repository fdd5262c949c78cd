interface Schema<R> {
  safeParse(value: unknown): R;
}

/**
 * Returns the result of validating a value with a zod schema. Returns undefined if the value has so many errors, about
 * 100,000, that zod overflows the stack when it collects them.
 */
export function validate<R>(schema: Schema<R>, value: unknown): R | undefined {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
