/** Checks that a received value has the expected type. */
export type Guard<T> = (value: unknown) => value is T;

type OptionalGuard<T> = Guard<T | undefined> & { readonly isOptional?: true };

/** The type of the values that a guard accepts. */
export type Guarded<G> = G extends Guard<infer T> ? T : never;

/** The guards for all fields of a type, so that none is forgotten: `object({ … } satisfies FieldGuards<T>)`. */
export type FieldGuards<T> = { readonly [K in keyof T]-?: Guard<T[K]> };

type Fields = Readonly<Record<string, Guard<unknown>>>;
type OptionalKey<F extends Fields> = { [K in keyof F]: 'isOptional' extends keyof F[K] ? K : never }[keyof F];
type GuardedObject<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKey<F>>]: Guarded<F[K]>;
} & { readonly [K in OptionalKey<F>]?: Exclude<Guarded<F[K]>, undefined> };

/** Accepts any string. */
export const isString: Guard<string> = (value) => typeof value === 'string';

/** Accepts numbers except NaN and infinities. */
export const isFiniteNumber: Guard<number> = (value): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Accepts true and false. */
export const isBoolean: Guard<boolean> = (value) => typeof value === 'boolean';

/** Accepts true only. */
export const isTrue: Guard<true> = (value) => value === true;

/** Accepts objects except null and arrays, with any content. */
export const isRecord: Guard<Record<string, unknown>> = (value): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Accepts objects whose values are all strings. */
export const isStringRecord: Guard<Readonly<Record<string, string>>> = (value): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every(isString);

/** Creates a guard for a value that may be absent. */
export function optional<T>(guard: Guard<T>): OptionalGuard<T> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

/** Creates a guard for an array whose elements all pass another guard. */
export function array<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(guard);
}

/** Creates a guard for a union of strings. */
export function oneOf<T extends string>(...members: readonly T[]): Guard<T> {
  return (value): value is T => members.some((member) => member === value);
}

/** Creates a guard for an object with the given fields. Ignores other fields. */
export function object<F extends Fields>(fields: F): Guard<GuardedObject<F>> {
  const entries = Object.entries(fields);
  return (value): value is GuardedObject<F> =>
    isRecord(value) && entries.every(([name, isValid]) => isValid(value[name]));
}

/** Creates a guard for values that pass at least one of the given guards. */
export function either<T extends readonly unknown[]>(
  ...guards: { readonly [K in keyof T]: Guard<T[K]> }
): Guard<T[number]> {
  return (value): value is T[number] => guards.some((guard) => guard(value));
}

/** Creates a guard for messages that have one of the given types and no other fields. */
export function typeOnly<T extends string>(...types: readonly T[]): Guard<{ [K in T]: { readonly type: K } }[T]> {
  return object({ type: oneOf(...types) });
}
