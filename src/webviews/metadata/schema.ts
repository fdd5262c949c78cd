import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { record } from '../../messages/guards.ts';
import { readable } from '../shared/text.ts';
import { objectsIn } from './origins.ts';

/** A column of a table, as its schema describes it. */
export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** Each in a few words: `required`, `minimum 0`. */
  readonly constraints: readonly string[];
}

/** The columns of a resource that is a table and tells so; empty when it does not. */
export function schemaFields({ resource }: FileEntry): readonly SchemaField[] {
  const schema = resource['schema'];
  if (!record(schema)) return [];
  const primaryKey = new Set([schema['primaryKey']].flat());
  return objectsIn(schema['fields']).map((field) => ({
    name: readable(field['name']) ?? '',
    type: typeText(field),
    description: [readable(field['title']), readable(field['description'])].filter(Boolean).join(': '),
    constraints: [
      ...(primaryKey.has(field['name']) ? [l10n.t('primary key')] : []),
      ...constraintTexts(field['constraints']),
    ],
  }));
}

function typeText(field: Readonly<Record<string, unknown>>): string {
  const type = readable(field['type']) ?? 'any';
  const format = readable(field['format']);
  return format === undefined || format === 'default' ? type : `${type} (${format})`;
}

/** Constraints are words of the schema's language, and stay as they are: `unique`, `maxLength 3`. */
function constraintTexts(constraints: unknown): readonly string[] {
  if (!record(constraints)) return [];
  return Object.entries(constraints).flatMap(([name, value]) => {
    if (value === false || value === null) return [];
    if (value === true) return [name];
    return [`${name} ${Array.isArray(value) ? value.map(plain).join(', ') : plain(value)}`];
  });
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
