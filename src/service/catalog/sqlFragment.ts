/** A piece of SQL with the values of its placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Creates a fragment without values. */
export function plain(sql: string): SqlFragment {
  return { sql, values: [] };
}

/** Returns a fragment that is true if all parts are true; true if there are no parts. */
export function all(parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? plain('1') : joinFragments(parts, ' AND ');
}

/** Returns a fragment that is true if any part is true; false if there are no parts. */
export function any(parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? plain('0') : joinFragments(parts, ' OR ');
}

/** Negates a condition. */
export function not({ sql, values }: SqlFragment): SqlFragment {
  return { sql: `NOT ${sql}`, values };
}

/** Joins fragments with spaces. */
export function concat(parts: readonly SqlFragment[]): SqlFragment {
  return { sql: parts.map((part) => part.sql).join(' '), values: parts.flatMap((part) => part.values) };
}

function joinFragments(parts: readonly SqlFragment[], between: string): SqlFragment {
  return { sql: `(${parts.map((part) => part.sql).join(between)})`, values: parts.flatMap((part) => part.values) };
}
