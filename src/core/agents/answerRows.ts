import type { JsonObject } from '../util/json.ts';

/** Maximum number of rows in an answer. Limited because every row takes up space in the agent's context. */
export const maxRows = 20;

/**
 * Returns the first rows as a list called `name` under `data`. If rows are left out, adds the hint and the number of
 * omitted rows.
 */
export function createRows(name: string, rows: readonly JsonObject[], hint: string): JsonObject {
  const more = rows.length - maxRows;
  return { data: { [name]: rows.slice(0, maxRows) }, ...(more > 0 && { more, hint }) };
}
