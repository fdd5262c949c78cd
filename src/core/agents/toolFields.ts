import * as z from 'zod/mini';
import { limitedObject, limitedText } from './inputCheck.ts';

/** Maximum length of a file ID. */
export const maxIdLength = 1_000;

/** Schema for the name or ID of a database. */
export const databaseField = limitedText(200).check(z.minLength(1), z.describe('Name of a database.'));

/** Schema for the ID of a file. */
export const idField = limitedText(maxIdLength).check(z.minLength(1));

/** Schemas for the fields of a database search. */
export const queryFields = {
  query: limitedText(2_000).check(z.describe('The query, in the syntax of the database. Empty for all files.')),
  status: z.optional(z.enum(['staged', 'unstaged']).check(z.describe('staged: ready to copy.'))),
  specific: z.optional(limitedObject().check(z.describe('Search parameters that only this database has.'))),
};
