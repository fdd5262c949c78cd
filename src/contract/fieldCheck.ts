interface ExpectedFields {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/**
 * Returns true if `value` is an object whose `texts` fields are strings and whose `numbers` fields are finite numbers.
 * Each field may also be absent or null. Used instead of a schema for responses with thousands of entries, because
 * schema validation would take longer than parsing the JSON.
 */
export function hasFields(
  value: unknown,
  { texts, numbers }: ExpectedFields,
): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const actual = value as Readonly<Record<string, unknown>>;
  for (const name of texts) if (typeof (actual[name] ?? '') !== 'string') return false;
  for (const name of numbers) if (!Number.isFinite(actual[name] ?? 0)) return false;
  return true;
}
