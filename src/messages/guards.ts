/** Tells whether a value that arrived has the shape that was agreed on. */
export type Guard<T> = (value: unknown) => value is T;

/** Any text. */
export const text: Guard<string> = (value) => typeof value === 'string';

/** A number that can be counted and drawn: neither NaN nor infinite. */
export const amount: Guard<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

/** True or false. */
export const flag: Guard<boolean> = (value) => typeof value === 'boolean';

/** An object that is neither null nor an array; what is in it is not looked at. */
export const record: Guard<Record<string, unknown>> = (value): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object whose values are all text. */
export const texts: Guard<Readonly<Record<string, string>>> = (value): value is Record<string, string> =>
  record(value) && Object.values(value).every(text);

/** May be absent. */
export function optional<T>(of: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || of(value);
}

/** An array of one kind of value. */
export function list<T>(of: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(of);
}

/** One certain word. */
export function exactly<T extends string>(wanted: T): Guard<T> {
  return (value): value is T => value === wanted;
}

/** One of a few words. The table names each of them, so that none can be forgotten. */
export function word<T extends string>(words: Readonly<Record<T, true>>): Guard<T> {
  return (value): value is T => typeof value === 'string' && Object.hasOwn(words, value);
}

/** An object with these fields; others are let through. */
export function shape<T extends object>(fields: { readonly [K in keyof T]-?: Guard<T[K]> }): Guard<T> {
  const entries = Object.entries<(value: unknown) => boolean>(fields);
  return (value): value is T => record(value) && entries.every(([name, matches]) => matches(value[name]));
}

/** A message of one of several types, told apart by `type`. */
export function variant<T extends { readonly type: string }>(guards: {
  readonly [K in T['type']]: Guard<Extract<T, { readonly type: K }>>;
}): Guard<T> {
  const table = new Map(Object.entries<(value: unknown) => boolean>(guards));
  return (value): value is T =>
    record(value) && typeof value['type'] === 'string' && (table.get(value['type'])?.(value) ?? false);
}
