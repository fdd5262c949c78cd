import * as z from 'zod/mini';
import { AgentError } from './agentError.ts';
import { defineTool } from './agentTool.ts';
import { maxRows } from './answerRows.ts';
import { requireDatabase } from './databaseLookup.ts';
import { toFileDetails } from './fileDetails.ts';
import { toDataLine } from './serverText.ts';
import { databaseField, idField } from './toolFields.ts';

/** Returns the metadata of the files with the given IDs. */
export const describeFilesTool = defineTool({
  name: 'describe_files',
  title: 'Describe Files',
  description:
    'Returns the metadata of up to 20 files by ID: title, description, size, hash, licenses. Lists IDs without ' +
    'readable metadata as missing.',
  isReadOnly: true,
  input: z.strictObject({
    database: databaseField,
    ids: z.array(idField).check(z.minLength(1), z.maxLength(maxRows)),
  }),
  run: async (context, { database, ids }, signal) => {
    const session = await context.connect();
    const { name } = await requireDatabase(context, session, database, signal);
    const { metadataFlow } = context.services;
    const { files, reason } = await metadataFlow.fetchFiles(session.connection.id, name, ids, signal);
    const found = files.flatMap((file) => (file.kind === 'file' ? [file] : []));
    const failure = reason?.kind === 'notFound' ? undefined : reason;
    if (failure && !failure.isIdAtFault && found.length === 0)
      throw new AgentError('requestFailed', "The metadata couldn't be fetched.", failure);
    const known = new Set(found.map(({ id }) => id));
    const cause = failure && { reason: toDataLine(context.describeReason(failure)) };
    const data = { files: found.map(toFileDetails), ...cause };
    return { data, missing: ids.filter((id) => !known.has(id)), ...(failure && { note: doubt }) };
  },
});

const doubt = "Some of the missing files couldn't be looked up, so they may exist.";
