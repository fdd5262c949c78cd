/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** Returns true for objects except null and arrays (D3: numbers and empty values). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON. Returns integers that would be rounded, such as 2^53 + 1, as text. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  return /[:,[\s]-?\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && String(value) !== context?.source;
  return isRounded && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
}

/** Parses a JSON object. Returns undefined for anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if a parsed value contains Infinity, which results from numbers that are out of range, such as `1e999`.
 */
export function hasInfinity(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'number' && !Number.isFinite(next)) return true;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) pending.push(member);
  }
  return false;
}

/** Returns true if lists and objects are nested more than `levels` deep. Doesn't inspect deeper levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Array.isArray(value) ? hasDeeperElement(value, levels - 1) : hasDeeperMember(value as JsonObject, levels - 1);
}

function hasDeeperElement(list: readonly unknown[], levels: number): boolean {
  return list.some((element) => typeof element === 'object' && isDeeperThan(element, levels));
}

function hasDeeperMember(object: JsonObject, levels: number): boolean {
  // Large responses pass through this loop, which is twice as fast as one over `Object.values`.
  for (const name in object) if (typeof object[name] === 'object' && isDeeperThan(object[name], levels)) return true;
  return false;
}

/** Returns true if a JSON value contains more than `limit` values. Never recurses, and stops at the limit. */
export function hasMoreValuesThan(value: unknown, limit: number): boolean {
  const open = [value];
  for (let count = 0; open.length > 0;) {
    const values: readonly unknown[] = Object.values(open.pop() ?? {});
    count += values.length;
    if (count > limit) return true;
    for (const one of values) if (typeof one === 'object' && one !== null) open.push(one);
  }
  return false;
}

/** Returns a copy of an object without the given fields. */
export function omit<T extends object, K extends keyof T>(whole: T, ...fields: readonly K[]): Omit<T, K> {
  const rest = { ...whole };
  for (const field of fields) Reflect.deleteProperty(rest, field);
  return rest;
}
