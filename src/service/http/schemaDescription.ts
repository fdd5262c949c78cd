import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';

const kinds: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Converts a schema to the JSON Schema of the values that it accepts. */
export function toInputSchema(schema: z.ZodMiniType): JsonObject {
  return z.toJSONSchema(schema, { io: 'input' });
}

/** Returns the part of a schema that describes the value at `path`, if any. */
export function findSchema(schema: JsonObject, path: readonly PropertyKey[]): JsonObject | undefined {
  let current: JsonObject | undefined = schema;
  for (const part of path) current = findPart(current, part);
  return current;
}

function findPart(schema: JsonObject | undefined, part: PropertyKey): JsonObject | undefined {
  const properties = schema?.['properties'];
  const property = isJsonObject(properties) && Object.hasOwn(properties, part) ? properties[String(part)] : undefined;
  return toObject(property ?? (typeof part === 'number' ? schema?.['items'] : undefined));
}

function toObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Describes a schema and its bounds as a phrase that can follow "must be". */
export function describeSchema(schema: JsonObject): string {
  const examples = schema['examples'];
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return `${describeKind(schema)}${example === undefined ? '' : `, such as ${JSON.stringify(example)}`}`;
}

function describeKind(schema: JsonObject): string {
  const choices = schema['anyOf'];
  if (Array.isArray(choices)) return choices.filter(isJsonObject).map(describeSchema).join(' or ');
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema['format'] === 'uuid') return 'a UUID';
  const types: unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const kind = types.map((type) => kinds[String(type)] ?? 'a value').join(' or ');
  const items = toObject(schema['items']);
  const parts = [items === undefined ? kind : `${kind} of ${describeItems(items)}`, ...describeBounds(schema)];
  return [...parts, ...describeRange(schema)].join(' ');
}

function describeItems(items: JsonObject): string {
  return items['type'] === 'object' ? 'objects' : describeSchema(items);
}

function describeBounds(schema: JsonObject): string[] {
  const { minLength, maxLength, minItems, maxItems, pattern } = schema;
  const bounds: string[] = [];
  if (minLength === 1 || pattern === String.raw`\S`) bounds.push('that is not empty');
  if (typeof maxLength === 'number') bounds.push(`of at most ${maxLength} characters`);
  if (typeof minItems === 'number') bounds.push(`with at least ${minItems} ${minItems === 1 ? 'entry' : 'entries'}`);
  if (typeof maxItems === 'number') bounds.push(`with at most ${maxItems} entries`);
  return bounds;
}

function describeRange({ minimum, exclusiveMinimum, maximum }: JsonObject): string[] {
  const hasMinimum = typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER;
  const hasMaximum = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (hasMinimum && hasMaximum) return [`from ${minimum} to ${maximum}`];
  const bounds: string[] = [];
  if (hasMinimum) bounds.push(`${minimum} or more`);
  if (typeof exclusiveMinimum === 'number') bounds.push(`more than ${exclusiveMinimum}`);
  if (hasMaximum) bounds.push(`at most ${maximum}`);
  return bounds.length === 0 ? [] : [`of ${bounds.join(' and ')}`];
}
