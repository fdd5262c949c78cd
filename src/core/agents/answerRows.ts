import type { JsonObject } from '../util/json.ts';

/** Maximum number of rows in an answer, because every row takes room in the conversation of an agent. */
export const maxRows = 20;

/** Returns the first rows below `data`, and the number of the others with a hint. */
export function createRows(name: string, rows: readonly JsonObject[], hint: string): JsonObject {
  const more = rows.length - maxRows;
  return { data: { [name]: rows.slice(0, maxRows) }, ...(more > 0 && { more, hint }) };
}
