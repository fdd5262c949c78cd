import * as z from 'zod/mini';
import { catchRefusal } from '../flows/refusals.ts';
import { defineTool } from './agentTool.ts';
import { AgentError } from './agentError.ts';
import { maxRows } from './answerRows.ts';
import { requireDatabase } from './databaseLookup.ts';
import { toFileRow } from './fileDetails.ts';
import { databaseField, queryFields } from './toolFields.ts';

const maxOffset = 1_000_000;

/** Searches a database. */
export const searchFilesTool = defineTool({
  name: 'search_files',
  title: 'Search Files',
  description:
    'Searches one database for files; at most 20 rows with id, path, size and format. Narrow the query instead of ' +
    'paging: plan_transfer takes a query too, so the ids of all files are not needed.',
  isReadOnly: true,
  input: z.strictObject({
    database: databaseField,
    ...queryFields,
    query: z.optional(queryFields.query),
    offset: z.optional(z.int().check(z.gte(0), z.lte(maxOffset))),
  }),
  run: async (context, { database, offset = 0, query = '', ...filters }, signal) => {
    const session = await context.connect();
    const { name } = await requireDatabase(context, session, database, signal);
    const orcid = context.getOrcid(session.connection.id);
    // Requests one more row than the answer shows, to detect whether there are others.
    const request = { ...filters, database: name, orcid, query, offset, limit: maxRows + 1 };
    const { value = [], reason } = await catchRefusal(() => session.client.search(request, signal));
    if (reason) throw new AgentError('requestFailed', "The search didn't succeed.", reason);
    return createResult(
      value.flatMap((file) => (file.kind === 'file' ? [toFileRow(file)] : [])),
      offset,
    );
  },
});

function createResult(rows: readonly Record<string, unknown>[], offset: number): Record<string, unknown> {
  const shown = rows.slice(0, maxRows);
  if (rows.length <= maxRows) return { data: { files: shown }, more: 0 };
  const hint = 'Narrow the query, or continue at nextOffset.';
  return { data: { files: shown }, more: `at least ${rows.length - maxRows}`, nextOffset: offset + maxRows, hint };
}
