/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** True for an object that is neither null nor an array (D3: an array is not an object). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
