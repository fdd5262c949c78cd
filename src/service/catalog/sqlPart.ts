/** A piece of SQL and the values of its question marks. */
export interface SqlPart {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** A piece with nothing to fill in. */
export function plain(sql: string): SqlPart {
  return { sql, values: [] };
}

/** All of these hold; with none, it holds. */
export function all(parts: readonly SqlPart[]): SqlPart {
  return parts.length === 0 ? plain('1') : joined(parts, ' AND ');
}

/** One of these holds; with none, it does not. */
export function any(parts: readonly SqlPart[]): SqlPart {
  return parts.length === 0 ? plain('0') : joined(parts, ' OR ');
}

/** It does not hold. */
export function not({ sql, values }: SqlPart): SqlPart {
  return { sql: `NOT ${sql}`, values };
}

/** One after the other. */
export function concat(parts: readonly SqlPart[]): SqlPart {
  return { sql: parts.map((part) => part.sql).join(' '), values: parts.flatMap((part) => part.values) };
}

function joined(parts: readonly SqlPart[], between: string): SqlPart {
  return { sql: `(${parts.map((part) => part.sql).join(between)})`, values: parts.flatMap((part) => part.values) };
}
