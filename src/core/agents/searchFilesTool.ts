import * as z from 'zod/mini';
import { catchRefusal } from '../flows/refusals.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { JsonObject } from '../util/json.ts';
import { defineTool } from './agentTool.ts';
import { AgentError } from './agentError.ts';
import { maxRows } from './answerRows.ts';
import { requireDatabase } from './databaseLookup.ts';
import { toFileRow } from './fileDetails.ts';
import { databaseField, queryFields } from './toolFields.ts';

const maxOffset = 1_000_000;

/** Returns the files of a database that match a query. */
export const searchFilesTool = defineTool({
  name: 'search_files',
  title: 'Search Files',
  description:
    'Searches one database for files; at most 20 rows with id, path, size and format. Narrow the query instead of ' +
    'paging: plan_transfer takes a query too, so the IDs of all files are not needed.',
  isReadOnly: true,
  input: z.strictObject({
    database: databaseField,
    ...queryFields,
    query: z.optional(queryFields.query),
    offset: z.optional(z.int().check(z.gte(0), z.lte(maxOffset), z.multipleOf(maxRows))),
    cursor: z.optional(z.string()),
  }),
  run: async (context, { database, offset = 0, cursor, query = '', ...filters }, signal) => {
    const session = await context.connect();
    if (cursor !== undefined && !session.service.hasFullPages)
      throw new AgentError('badInput', 'This service has no cursors. Use offset instead.');
    const { name } = await requireDatabase(context, session, database, signal);
    const orcid = context.getOrcid(session.connection.id);
    // Request as many rows as an answer can have, because `offset` must be a multiple of `limit` (D9: paging).
    const position = cursor === undefined ? { offset } : { cursor };
    const request = { ...filters, database: name, orcid, query, ...position, limit: maxRows };
    const reply = await catchRefusal(() => session.client.search(request, signal));
    if (!reply.value || reply.reason) throw new AgentError('requestFailed', "The search didn't succeed.", reply.reason);
    const { value } = reply;
    const mayHaveMore = session.service.hasFullPages ? value.length >= maxRows : value.length > 0;
    const next = reply.cursor === undefined ? { nextOffset: offset + maxRows } : { cursor: reply.cursor };
    return createResult(value, next, mayHaveMore);
  },
});

function createResult(page: readonly FoundFile[], next: JsonObject, mayHaveMore: boolean): JsonObject {
  const rows = page.flatMap((file) => (file.kind === 'file' ? [toFileRow(file)] : []));
  const data = { files: rows.slice(0, maxRows) };
  if (!mayHaveMore) return { data, more: 0 };
  const more = rows.length > maxRows ? `at least ${rows.length - maxRows}` : 'unknown';
  const way = 'cursor' in next ? 'with this cursor' : 'at nextOffset until a page has nothing new';
  return { data, more, ...next, hint: `There may be more files. Narrow the query, or continue ${way}.` };
}
