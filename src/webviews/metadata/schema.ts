import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { isRecord } from '../messages/guards.ts';
import { toReadableText } from '../shared/text.ts';
import { listObjects } from './references.ts';

/** A column of a tabular file. */
export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The constraints in words, such as `required; minimum 0`. */
  readonly constraints: string;
}

/** Reads the columns of a tabular resource; an empty list if it has no schema. */
export function listSchemaFields({ resource }: FileEntry): readonly SchemaField[] {
  const schema = resource['schema'];
  if (!isRecord(schema)) return [];
  const primaryKey = new Set([schema['primaryKey']].flat());
  return listObjects(schema['fields']).map((field) => ({
    name: toReadableText(field['name']) ?? '',
    type: formatType(field),
    description: joinTexts(toReadableText(field['title']), toReadableText(field['description'])),
    constraints: joinConstraints([
      ...(primaryKey.has(field['name']) ? [l10n.t('primary key')] : []),
      ...formatConstraints(field['constraints']),
    ]),
  }));
}

/** Joins a title and a description with the punctuation of the display language. */
function joinTexts(title = '', description = ''): string {
  return title === '' || description === '' ? title + description : l10n.t('{0}: {1}', title, description);
}

function joinConstraints([first = '', ...others]: readonly string[]): string {
  return others.reduce((joined, constraint) => l10n.t('{0}; {1}', joined, constraint), first);
}

function formatType(field: Readonly<Record<string, unknown>>): string {
  const type = toReadableText(field['type']) ?? 'any';
  const format = toReadableText(field['format']);
  return format === undefined || format === 'default' ? type : `${type} (${format})`;
}

/** Formats constraints in words, such as `unique` or `maximum length 3`. */
function formatConstraints(constraints: unknown): readonly string[] {
  if (!isRecord(constraints)) return [];
  return Object.entries(constraints).flatMap(([name, value]) => {
    if (value === false || value === null) return [];
    if (value === true) return [describeFlag(name)];
    return [describeLimit(name, Array.isArray(value) ? value.map(formatValue).join(', ') : formatValue(value))];
  });
}

/** Describes a constraint that has no value, such as `required`. Returns the name of an unknown constraint. */
function describeFlag(name: string): string {
  if (name === 'required') return l10n.t('required');
  return name === 'unique' ? l10n.t('unique') : name;
}

/**
 * Describes a constraint that has a value, such as `minLength`. Shows an unknown constraint as its name followed by the
 * value.
 */
function describeLimit(name: string, value: string): string {
  const describe = Object.hasOwn(limits, name) ? limits[name] : undefined;
  return describe?.(value) ?? `${name} ${value}`;
}

/** The wording of the Table Schema constraints that have a value, by constraint name. */
const limits: Readonly<Record<string, (value: string) => string>> = {
  minLength: (value) => l10n.t('minimum length {0}', value),
  maxLength: (value) => l10n.t('maximum length {0}', value),
  minimum: (value) => l10n.t('minimum {0}', value),
  maximum: (value) => l10n.t('maximum {0}', value),
  exclusiveMinimum: (value) => l10n.t('greater than {0}', value),
  exclusiveMaximum: (value) => l10n.t('less than {0}', value),
  pattern: (value) => l10n.t('pattern {0}', value),
  enum: (value) => l10n.t('one of {0}', value),
};

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
