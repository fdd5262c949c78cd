import * as z from 'zod/mini';
import type { Database } from '../model/databaseModel.ts';
import type { JsonObject } from '../util/json.ts';
import { defineTool } from './agentTool.ts';
import { createRows } from './answerRows.ts';
import { requestDatabases } from './databaseLookup.ts';
import { toDataLine } from './serverText.ts';

/** Lists the databases of the connected service. */
export const listDatabasesTool = defineTool({
  name: 'list_databases',
  title: 'List Databases',
  description:
    'Lists the databases of the connected data transfer service: names for the other tools, organizations, and which ' +
    'ones are read-only and therefore cannot be destinations. Call it first.',
  isReadOnly: true,
  input: z.strictObject({}),
  run: async (context, _, signal) => {
    const session = await context.connect();
    const databases = await requestDatabases(session, signal);
    const { name, address } = session.service;
    const rows = createRows('databases', databases.map(toRow), 'Ask the user for the name of the database.');
    return { service: address, ...rows, data: { serviceName: toDataLine(name), ...(rows['data'] as JsonObject) } };
  },
});

/**
 * Returns a database as a row. If its name can't be shown unchanged as one plain line, adds the ID, which the other
 * tools also accept.
 */
function toRow({ id, name, organization, readOnly, listing }: Database): JsonObject {
  const line = toDataLine(name);
  return {
    name: line,
    ...(line !== name && { id: toDataLine(id) }),
    ...(organization !== '' && { organization: toDataLine(organization) }),
    ...(readOnly && { readOnly }),
    ...(listing && { listing: listing.state, files: listing.files, asOf: listing.asOf ?? 'unknown' }),
  };
}
