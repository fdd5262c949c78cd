/** Checks that a received value has the expected type. */
export type Guard<T> = (value: unknown) => value is T;

/** Accepts any string. */
export const isString: Guard<string> = (value) => typeof value === 'string';

/** Accepts numbers except NaN and infinities. */
export const isFiniteNumber: Guard<number> = (value): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Accepts true and false. */
export const isBoolean: Guard<boolean> = (value) => typeof value === 'boolean';

/** Accepts objects except null and arrays, with any content. */
export const isRecord: Guard<Record<string, unknown>> = (value): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Accepts objects whose values are all strings. */
export const isStringRecord: Guard<Readonly<Record<string, string>>> = (value): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every(isString);

/** Creates a guard for a value that may be absent. */
export function optional<T>(guard: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

/** Creates a guard for an array whose elements all pass another guard. */
export function array<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(guard);
}

/** Creates a guard for a specific string. */
export function literal<T extends string>(expected: T): Guard<T> {
  return (value): value is T => value === expected;
}

/** Creates a guard for a union of strings. The record must contain every member, so that none is forgotten. */
export function oneOf<T extends string>(members: Readonly<Record<T, true>>): Guard<T> {
  return (value): value is T => typeof value === 'string' && Object.hasOwn(members, value);
}

type FieldGuards<T> = { readonly [K in keyof T]-?: Guard<T[K]> };

/** Creates a guard for an object with the given fields. Ignores other fields. */
export function object<T extends object>(fields: FieldGuards<T>): Guard<T> {
  const entries = Object.entries<(value: unknown) => boolean>(fields);
  return (value): value is T => isRecord(value) && entries.every(([name, matches]) => matches(value[name]));
}

/** Creates a guard for a union of messages discriminated by `type`, given the guards for their other fields. */
export function taggedUnion<T extends { readonly type: string }>(members: {
  readonly [K in T['type']]: FieldGuards<Omit<Extract<T, { readonly type: K }>, 'type'>>;
}): Guard<T> {
  const guards = new Map(Object.entries<FieldGuards<object>>(members).map(([type, fields]) => [type, object(fields)]));
  return (value): value is T =>
    isRecord(value) && typeof value['type'] === 'string' && (guards.get(value['type'])?.(value) ?? false);
}
