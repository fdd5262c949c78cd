/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** True for an object that is neither null nor an array (D3: an array is not an object). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object that a text is; undefined for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether lists and objects stand in each other more than `levels` deep. Walks no further than that, so that nothing a
 * server or a file nests is too much. Two kinds of loops, each quick for its own.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Array.isArray(value) ? hasDeeperElement(value, levels - 1) : hasDeeperMember(value as JsonObject, levels - 1);
}

function hasDeeperElement(list: readonly unknown[], levels: number): boolean {
  for (const element of list) if (isDeeperThan(element, levels)) return true;
  return false;
}

function hasDeeperMember(object: JsonObject, levels: number): boolean {
  for (const name in object) if (isDeeperThan(object[name], levels)) return true;
  return false;
}
