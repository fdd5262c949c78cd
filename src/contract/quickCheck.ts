/** Names of the fields that are text, or a number, where they are told at all. */
interface Fields {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/**
 * Whether a value is an object whose named fields are of their type, absent or null. Says what a schema says too, for
 * answers that come by the thousand, for which the schema takes longer than reading the JSON does.
 */
export function hasFields(value: unknown, { texts, numbers }: Fields): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const told = value as Readonly<Record<string, unknown>>;
  for (const name of texts) if (!isAbsent(told[name]) && typeof told[name] !== 'string') return false;
  for (const name of numbers) if (!isAbsent(told[name]) && !Number.isFinite(told[name])) return false;
  return true;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
