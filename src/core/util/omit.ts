/** Returns a copy of an object without the given fields. */
export function omit<T extends object, K extends keyof T>(whole: T, ...fields: readonly K[]): Omit<T, K> {
  const rest = { ...whole };
  for (const field of fields) Reflect.deleteProperty(rest, field);
  return rest;
}
