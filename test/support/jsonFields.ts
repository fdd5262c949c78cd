/**
 * Returns the fields of a JSON value with the types of their values, such as `order.files[].id: string`. The entries of
 * a list count as one.
 */
export function listFields(value: unknown, path = ''): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((entry: unknown) => [...listFields(entry, `${path}[]`)]));
  if (typeof value !== 'object' || value === null)
    return new Set([`${path}: ${value === null ? 'null' : typeof value}`]);
  const prefix = path === '' ? '' : `${path}.`;
  return new Set(Object.entries(value).flatMap(([name, member]) => [...listFields(member, prefix + name)]));
}
