import { STATUS_CODES } from 'node:http';
import * as z from 'zod/mini';
import { problemMediaType, type ProblemDocument } from '../../contract/contract.ts';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { isNotValid, mustNotBeEmpty } from '../../core/util/sharedTexts.ts';
import type { StoreListingState } from '../wire/apiSchemas.ts';
import { toQuotable } from './quotable.ts';

/** An invalid field, for the `errors` of a problem document. */
export interface FieldProblem {
  readonly message: string;
  /** Path of the field, for example `body.offset` or `query.ids`. */
  readonly location: string;
}

/** Maximum number of fields that an error response names. */
export const maxNamedFields = 100;

/** Converts issues to field problems, up to a limit, without the value. `root`: prefix of locations. */
export function toFieldProblems(
  schema: JsonObject,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  root: string,
): FieldProblem[] {
  return issues.slice(0, maxNamedFields).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return describeUnknownFields(schema, issue, root);
    const fieldSchema = findSchema(schema, issue.path);
    const message = fieldSchema === undefined ? describeMessage(issue) : `must be ${describeSchema(fieldSchema)}`;
    const isMissing = issue.path.length > 0 && findValue(value, issue.path) === undefined;
    return [createFieldProblem(root, issue.path, isMissing ? `is missing: it ${message}` : message)];
  });
}

/** Converts a validation issue to a field problem without using a schema. `root` is the prefix of the location. */
export function describeIssue(issue: z.core.$ZodIssue, root: string): FieldProblem {
  return { message: describeMessage(issue), location: formatLocation(root, issue.path) };
}

function describeUnknownFields(
  schema: JsonObject,
  issue: z.core.$ZodIssueUnrecognizedKeys,
  root: string,
): FieldProblem[] {
  const known = Object.keys(findSchema(schema, issue.path)?.['properties'] ?? {});
  const message = known.length === 0 ? 'is unknown' : `is unknown; the known fields are ${known.join(', ')}`;
  return issue.keys.slice(0, maxNamedFields).map((key) => createFieldProblem(root, [...issue.path, key], message));
}

/** Creates a problem whose message begins with the field's name, because clients may show it without the location. */
export function createFieldProblem(root: string, path: readonly PropertyKey[], message: string): FieldProblem {
  const location = formatLocation(root, path);
  return { message: `${path.length === 0 ? `the ${root}` : location.slice(root.length + 1)} ${message}`, location };
}

function formatLocation(root: string, path: readonly PropertyKey[]): string {
  return [root, ...path.map((part) => toQuotable(String(part)))].join('.');
}

function findValue(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Readonly<Record<PropertyKey, unknown>>)[part];
  }
  return current;
}

const kinds: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
const zodKinds: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

function describeMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[zodKinds[issue.expected] ?? issue.expected] ?? issue.expected}`;
    case 'too_small':
      return describeTooSmall(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return `must not be more than ${String(issue.maximum)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    default:
      return isNotValid;
  }
}

function describeTooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (origin === 'string' || origin === 'array') return mustNotBeEmpty;
  return inclusive ? `must be at least ${minimum}` : `must be more than ${minimum}`;
}

/** Converts a schema to the JSON Schema of the values that it accepts. */
export function toInputSchema(schema: z.ZodMiniType): JsonObject {
  return z.toJSONSchema(schema, { io: 'input' });
}

/** Returns the part of a schema that describes the value at `path`, if any. */
export function findSchema(schema: JsonObject, path: readonly PropertyKey[]): JsonObject | undefined {
  let current: JsonObject | undefined = schema;
  for (const part of path) {
    const properties: unknown = current?.['properties'];
    const isProperty = isJsonObject(properties) && Object.hasOwn(properties, part);
    const items: unknown = typeof part === 'number' ? current?.['items'] : undefined;
    const found: unknown = isProperty ? properties[String(part)] : items;
    current = isJsonObject(found) ? found : undefined;
  }
  return current;
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
  const { items } = schema;
  const parts = [isJsonObject(items) ? `${kind} of ${describeItems(items)}` : kind, ...describeBounds(schema)];
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

interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The state of the listing of the store that the request is about. */
  readonly listing?: StoreListingState | undefined;
}

/** An error sent as a problem document, the message as its `detail` (D26: service HTTP behavior). */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;
  private readonly listing: StoreListingState | undefined;

  constructor(status: number, detail: string, options: ProblemOptions = {}) {
    super(detail, options);
    this.status = status;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.listing = options.listing;
  }

  toDocument(): ProblemDocument & { readonly listing?: StoreListingState } {
    const { status, errors, listing, message } = this;
    const document = { title: STATUS_CODES[status] ?? 'Error', status, detail: message, ...(listing && { listing }) };
    return errors.length === 0 ? document : { ...document, errors: errors.map((error) => ({ ...error })) };
  }
}

/** Leaves room for {@link maxNamedFields} invalid entries of one list, and for other problems. */
const maxProblems = 2 * maxNamedFields;

/** Returns a 422 problem that lists invalid fields, up to a limit. */
export function createFieldsProblem(errors: readonly FieldProblem[]): HttpProblem {
  const detail = errors.length === 1 ? 'The request has an invalid field.' : 'The request has invalid fields.';
  return new HttpProblem(422, detail, { errors: errors.slice(0, maxProblems) });
}

interface LocatedId {
  readonly id: string;
  readonly location: string;
}

/**
 * Returns a 404 problem for unknown file IDs. Quotes the first hundred and counts the rest. `listing` is the state of
 * the listing of a store that may have the files.
 */
export function createUnknownIdsProblem(
  unknown: readonly LocatedId[],
  listLocation: string,
  listing?: StoreListingState,
): HttpProblem {
  const errors = listIds('unknown', unknown, listLocation);
  return new HttpProblem(404, 'The database does not have all of the files.', { errors, listing });
}

/** Returns a 422 problem that names the repeated file IDs, then the unknown ones (D26: service HTTP behavior). */
export function createRepeatedIdsProblem(
  repeated: readonly LocatedId[],
  unknown: readonly LocatedId[],
  listLocation: string,
): HttpProblem {
  const errors = [
    ...listIds('given more than once', repeated, listLocation),
    ...listIds('unknown', unknown, listLocation),
  ];
  return new HttpProblem(422, 'A transfer can contain each file only once.', { errors });
}

function listIds(problem: string, ids: readonly LocatedId[], listLocation: string): FieldProblem[] {
  const errors: FieldProblem[] = ids
    .slice(0, maxNamedFields)
    .map(({ id, location }) => ({ message: `${problem}: "${toQuotable(id)}"`, location }));
  const more = ids.length - errors.length;
  if (more > 0) errors.push({ message: `and ${more} more`, location: listLocation });
  return errors;
}

/** Returns the problem for an error or timeout reported by the HTTP parser; undefined if the connection broke. */
export function toParserProblem(error: NodeJS.ErrnoException): HttpProblem | undefined {
  const code = error.code ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem(408, 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem(431, 'The request line and headers are too large.');
  if (/CHUNK/.test(code)) return new HttpProblem(400, 'The chunks of the request body are malformed.');
  if (code.startsWith('HPE_')) return new HttpProblem(400, 'The request is not valid HTTP.');
  return undefined;
}

/** Formats a problem as a complete HTTP response, for connections without a response object. */
export function formatRawResponse(problem: HttpProblem): string {
  const body = JSON.stringify(problem.toDocument());
  const headers = {
    'Content-Type': problemMediaType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...problem.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...lines, '', body].join('\r\n');
}
